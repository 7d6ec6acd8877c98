import type { BotDetail } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { AnswerWaiting } from '../improve/answer-waiting.tsx';
import { improveMessages } from '../improve/improve.messages.ts';
import { ImproveButton } from '../improve/improve-button.tsx';
import { unansweredQuery } from './bots.queries.ts';

/** What contacts asked and the bot could not answer. */
export function UnansweredTab({
  bot,
  isChanged,
  onSaved,
}: {
  bot: BotDetail;
  /** Whether the editor has changes that are not stored. */
  isChanged: boolean;
  onSaved: () => Promise<void>;
}) {
  const { unanswered: t } = useMessages(improveMessages);
  const { ago, number } = useFormats();
  const query = useQuery(unansweredQuery(bot.id));
  return (
    <div className="grid grid-cols-1 gap-4">
      <AnswerWaiting bot={{ id: bot.id }} />
      <Loaded query={query}>
        {({ groups, complete }) =>
          groups.length === 0 ? (
            <Card>
              <EmptyState icon={CircleCheck} title={t.empty}>
                {t.emptyHint}
              </EmptyState>
            </Card>
          ) : (
            <div className="grid gap-4">
              <p className="text-muted">
                {t.hint}
                {!complete && ` ${t.incomplete}`}
              </p>
              {isChanged && <p className="text-warning">{t.saveFirst}</p>}
              <ol className="overflow-hidden rounded-xl border bg-card">
                {groups.map(({ question, count, thumbs_down: disliked, last_asked_at, examples }) => (
                  <li
                    key={examples[0]?.message_id}
                    className="flex flex-wrap items-center gap-3 border-b px-4 py-3 last:border-b-0"
                  >
                    <div className="grid min-w-0 flex-1 basis-60 gap-0.5">
                      <p dir="auto" className="whitespace-pre-wrap font-medium wrap-anywhere">
                        {question}
                      </p>
                      <p className="text-muted text-[0.8125rem]">
                        {t.count(count, number(count))} · {t.last(ago(last_asked_at))}
                        {disliked > 0 && ` · 👎 ${number(disliked)}`}
                      </p>
                      <ul aria-label={t.examples} className="flex flex-wrap gap-x-3 text-[0.8125rem]">
                        {examples.map((example) => (
                          <li key={example.message_id}>
                            <Link
                              to="/conversations/$conversationId"
                              params={{ conversationId: example.conversation_id }}
                              title={example.question}
                              className="underline underline-offset-4"
                            >
                              {ago(example.asked_at)}
                            </Link>
                          </li>
                        ))}
                      </ul>
                    </div>
                    {examples[0] !== undefined && (
                      <ImproveButton
                        unanswered={question}
                        conversationId={examples[0].conversation_id}
                        messageId={examples[0].message_id}
                        disabled={isChanged}
                        onSaved={onSaved}
                      />
                    )}
                  </li>
                ))}
              </ol>
            </div>
          )
        }
      </Loaded>
    </div>
  );
}
