import type { MessageAnswer } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';
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
  const t = useMessages(conversationsMessages);
  const { number } = useFormats();
  const isEmpty = trace.pair === undefined && trace.passages.length === 0 && trace.actions.length === 0;
  return (
    <div className="grid gap-3">
      {!answered && <p>{t.notKnown}</p>}
      {trace.pair !== undefined && <Source title={t.pair}>{trace.pair.question}</Source>}
      {trace.passages.map((passage) => (
        <Source
          key={passage.quote}
          title={t.passage(passage.document ?? t.deletedDocument, passage.page, passage.heading)}
        >
          {passage.quote}
        </Source>
      ))}
      {trace.actions.map((action, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an answer never change
        <Source key={position} title={t.action(action.name, number(action.ms))}>
          <code className="font-mono">{JSON.stringify(action.arguments)}</code>
          <br />
          {action.error ?? action.status}
        </Source>
      ))}
      {answered && isEmpty && <p className="text-muted">{t.noSources}</p>}
      <p className="text-muted">
        <Link to="/bots/$botId" params={{ botId }} className="underline underline-offset-4">
          {t.version(number(version))}
        </Link>
        {` · ${t.credits(credits)}`}
      </p>
    </div>
  );
}

const Source = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-0.5">
    <p className="font-medium wrap-anywhere">{title}</p>
    <p className="whitespace-pre-wrap text-muted wrap-anywhere">{children}</p>
  </div>
);
