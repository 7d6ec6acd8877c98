import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { Answer } from './answer.ts';
import type { CallWithResult } from './conversation-context.queries.ts';

/** The stored explanation of an answer, without header values. */
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
  shortened?: true;
  /** A model said that the question is outside the purpose of the bot. */
  off_topic?: true;
  /** The draft answered a tester. */
  draft_revision?: number;
}

const maxKeptCalls = 10;
const longestKept = 2000;

/** Only models read earlier calls. Those of other answers are recorded for replays. */
export function keepCalls({ calls, usage }: Pick<Answer, 'calls' | 'usage'>): {
  calls?: CallWithResult[];
  recorded?: CallWithResult[];
} {
  if (calls.length === 0) return {};
  const keep = (text: string) => toStorableText(takeStart(text, longestKept));
  const kept = calls.slice(0, maxKeptCalls).map(({ tool, arguments: given, result }) => ({
    tool,
    arguments: keep(given),
    result: keep(result),
  }));
  return usage.length === 0 ? { recorded: kept } : { calls: kept };
}

export function createTrace(
  { sources, actions, shortened, offTopic }: Pick<Answer, 'sources' | 'actions' | 'shortened' | 'offTopic'>,
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
    ...(shortened ? { shortened } : {}),
    ...(offTopic ? { off_topic: true } : {}),
  };
}

const toStorable = (given: Answer['actions'][number]['arguments']) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? toStorableText(value) : value,
    ]),
  );

/** Shows a trace as the API describes it: without nulls. */
export function presentTrace({ pair, passages, actions, shortened, off_topic, draft_revision }: AnswerTrace) {
  return {
    ...(pair === null ? {} : { pair }),
    passages: passages.map(({ quote, score, ...where }) => ({ ...withoutNulls(where), quote, score })),
    actions: actions.map(({ name, arguments: given, ms, status, error }) => ({
      name,
      arguments: given,
      ms,
      ...withoutNulls({ status, error }),
    })),
    ...(shortened === undefined ? {} : { shortened }),
    ...(off_topic === undefined ? {} : { off_topic }),
    ...(draft_revision === undefined ? {} : { draft_revision }),
  };
}

type WithoutNulls<Members> = { [Name in keyof Members]?: Exclude<Members[Name], null> };

const withoutNulls = <Members extends object>(members: Members): WithoutNulls<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as WithoutNulls<Members>;
