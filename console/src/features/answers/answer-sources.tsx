import type { BotAnswer, MessageAnswer } from '@parley/sdk';
import type { ReactNode } from 'react';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { answersMessages } from './answers.messages.ts';

type Sources = Pick<MessageAnswer['trace'], 'pair' | 'passages'> & {
  actions: readonly (MessageAnswer['trace']['actions'][number] &
    Partial<Pick<BotAnswer['trace']['actions'][number], 'result'>>)[];
};

/** The pair, the passages and the actions behind an answer. */
export function AnswerSources({ answered, sources }: { answered: boolean; sources: Sources }) {
  const t = useMessages(answersMessages);
  const { number } = useFormats();
  const { pair, passages, actions } = sources;
  const isEmpty = pair === undefined && passages.length === 0 && actions.length === 0;
  return (
    <>
      {!answered && <p>{t.notKnown}</p>}
      {pair !== undefined && (
        <Source title={t.pair} note={t.score(number(pair.score))}>
          {pair.question}
        </Source>
      )}
      {passages.map((passage) => (
        <Source
          key={passage.quote}
          title={t.passage(passage.document ?? t.deletedDocument, passage.page, passage.heading)}
          note={t.score(number(passage.score))}
        >
          {passage.quote}
        </Source>
      ))}
      {actions.map((action, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an answer never change
        <Source key={position} title={t.action(action.name, number(action.ms))}>
          <Code label={t.arguments}>{JSON.stringify(action.arguments)}</Code>
          <Code label={t.result}>
            {[action.status, action.error ?? action.result].filter((part) => part !== undefined).join(' ')}
          </Code>
        </Source>
      ))}
      {answered && isEmpty && <p className="text-muted">{t.noSources}</p>}
    </>
  );
}

const Source = ({ title, note, children }: { title: string; note?: string; children: ReactNode }) => (
  <div className="grid gap-0.5">
    <p className="font-medium wrap-anywhere">
      {title} {note !== undefined && <span className="font-normal text-muted text-xs">{note}</span>}
    </p>
    <div className="max-h-40 overflow-y-auto whitespace-pre-wrap text-muted wrap-anywhere">{children}</div>
  </div>
);

const Code = ({ label, children }: { label: string; children: string }) => (
  <p>
    {label}: <code className="font-mono text-xs">{children}</code>
  </p>
);
