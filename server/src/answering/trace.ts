import type { LoadedBot } from '../bots/bot-loader.ts';
import { toStorableText } from '../shared/storable-text.ts';
import type { Answer } from './answer.ts';

/** The stored explanation of an answer, without header values and results of actions. */
export interface AnswerTrace {
  pair: { question: string; score: number } | null;
  passages: {
    document_id: string | null;
    document: string | null;
    page: number | null;
    heading: string | null;
    quote: string;
    score: number;
  }[];
  actions: {
    name: string;
    arguments: Record<string, string | number | boolean>;
    status: number | null;
    ms: number;
    error: string | null;
  }[];
}

export function createTrace(
  { sources, actions }: Pick<Answer, 'sources' | 'actions'>,
  { documents }: Pick<LoadedBot, 'documents'>,
): AnswerTrace {
  const pair = sources.find((source) => source.kind === 'question');
  return {
    pair: pair === undefined ? null : { question: pair.question, score: pair.score },
    passages: sources.flatMap((source) => {
      if (source.kind !== 'passage') return [];
      const { documentRef, page, heading, quote, score } = source;
      const document = documents.get(documentRef);
      return [
        { document_id: document?.id ?? null, document: document?.name ?? null, page, heading, quote, score },
      ];
    }),
    actions: actions.map(({ name, arguments: given, status, ms, error }) => ({
      name,
      arguments: toStorable(given),
      status,
      ms,
      error,
    })),
  };
}

const toStorable = (given: Answer['actions'][number]['arguments']) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? toStorableText(value) : value,
    ]),
  );
