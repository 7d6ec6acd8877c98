import type { MessageAnswer } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded } from '../../components/loaded.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { AnswerSources } from '../answers/answer-sources.tsx';
import { answersMessages } from '../answers/answers.messages.ts';
import { answerQuery } from './conversations.queries.ts';

/** The pair, passages and actions behind an answer. */
export function AnswerTrace({ messageId }: { messageId: string }) {
  const query = useQuery(answerQuery(messageId));
  return (
    <div className="w-full rounded-xl border bg-card p-4 text-[0.8125rem]">
      <Loaded query={query} placeholder={<Skeleton className="h-16 w-64" />}>
        {(answer) => <Sources answer={answer} />}
      </Loaded>
    </div>
  );
}

function Sources({
  answer: { bot_id: botId, version, credits, answered, trace },
}: {
  answer: MessageAnswer;
}) {
  const t = useMessages(answersMessages);
  const { number } = useFormats();
  return (
    <div className="grid gap-3">
      <AnswerSources answered={answered} sources={trace} />
      <p className="text-muted">
        <Link to="/bots/$botId" params={{ botId }} className="underline underline-offset-4">
          {t.version(number(version))}
        </Link>
        {` · ${t.credits(credits)}`}
      </p>
    </div>
  );
}
