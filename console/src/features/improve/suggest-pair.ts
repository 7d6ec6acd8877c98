import type { MessageAnswer, MessageRecord } from '@parley/sdk';
import type { Pair } from '../bots/bot-draft.ts';

/** The limits of a pair. */
export const longestQuestion = 1000;
export const longestAnswer = 4000;

export interface Suggestion {
  /** What the contact asked. */
  asked: string;
  /** The pair of the draft that answered, or that has the same question. */
  existing: Pair | undefined;
  /** The best text for a new answer. */
  text: string;
  /** Where that text is from. */
  source: 'person' | 'passage' | null;
}

/**
 * Suggests how to improve an answer. `messages` are those of the conversation, the oldest first. `messageId` is a message of the answer or
 * of the contact who asked.
 */
export function suggestPair(
  messages: readonly MessageRecord[],
  messageId: string,
  answer: Pick<MessageAnswer, 'trace'>,
  draft: readonly Pair[],
): Suggestion {
  const at = messages.findIndex(({ id }) => id === messageId);
  const asked = findAsked(messages.slice(0, at + 1)).slice(0, longestQuestion);
  const reply = at === -1 ? '' : findReply(messages.slice(at + 1));
  const quote = answer.trace.passages[0]?.quote ?? '';
  const { pair } = answer.trace;
  return {
    asked: asked === '' ? (pair?.question ?? '') : asked,
    existing:
      draft.find(({ question }) => question === pair?.question) ??
      draft.find(({ question }) => isSameQuestion(question, asked)),
    text: (reply === '' ? quote : reply).slice(0, longestAnswer),
    source: reply !== '' ? 'person' : quote !== '' ? 'passage' : null,
  };
}

/** The bot may have written several messages after the contact's. */
function findAsked(messages: readonly MessageRecord[]): string {
  const last = messages.findLastIndex(({ direction }) => direction === 'in');
  const before = messages.slice(0, last + 1);
  const first = before.findLastIndex(({ direction }) => direction === 'out') + 1;
  return joinTexts(before.slice(first));
}

/** What a person wrote before the contact wrote again. */
function findReply(messages: readonly MessageRecord[]): string {
  const first = messages.findIndex(({ origin }) => origin === 'person');
  if (first === -1) return '';
  const rest = messages.slice(first);
  const end = rest.findIndex(({ origin }) => origin !== 'person');
  return joinTexts(end === -1 ? rest : rest.slice(0, end));
}

const joinTexts = (messages: readonly MessageRecord[]): string =>
  messages
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n');

export const isSameQuestion = (one: string, other: string): boolean => simplify(one) === simplify(other);

const simplify = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Puts the pair in the place of the one with the question `replaces`, or at the end. */
export function withPair(draft: readonly Pair[], replaces: string | undefined, pair: Pair): Pair[] {
  const pairs = draft.map(({ question, answer }) => ({ question, answer }));
  const at = pairs.findIndex(({ question }) => question === replaces);
  return at === -1 ? [...pairs, pair] : pairs.with(at, pair);
}
