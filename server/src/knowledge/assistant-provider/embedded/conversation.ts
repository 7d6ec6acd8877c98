import { truncateMiddle } from '../../search/text-limits.ts';
import { foldDiacritics, splitForms, splitWords } from '../../search/words.ts';
import type { TurnMessage } from '../assistant-provider.ts';
import choices from './choices.json' with { type: 'json' };

export interface ContactQuestion {
  /** All messages since the last reply, joined and truncated. */
  text: string;
  /** The single messages, or only `text` if it was truncated. */
  messages: readonly string[];
  /** `text` after the message that it quotes or the one before it, to which a short message may refer; else null. */
  withPrevious: string | null;
  previousReply: string | null;
  /** Earlier messages of the contact, truncated, latest first. */
  earlier: readonly string[];
}

const maxEllipticWords = 6;
/** A message names the subject of the next ones for so long. */
const maxSubjectDistance = 3;

const textsOf = (messages: readonly TurnMessage[]): string[] =>
  messages.flatMap((message) =>
    message.role === 'contact' && message.withdrawn === undefined ? [message.text] : [],
  );

/** The text that the newest message replies to. */
function readQuoted(messages: readonly TurnMessage[]): string | null {
  const newest = messages.findLast((message) => message.role === 'contact');
  return newest?.quoted?.text || null;
}

const referring: ReadonlySet<string> = new Set(choices.referring.split(',').map(foldDiacritics));

/** Whether a word of the message stands for something that was said before: "it", "and". */
export const refersBack = (text: string): boolean =>
  splitForms(text).some((form) => referring.has(foldDiacritics(form)));

/** Returns the last question of the contact; `null` without one. */
export function readContactQuestion(messages: readonly TurnMessage[]): ContactQuestion | null {
  const end = messages.findLastIndex(({ role }) => role === 'contact') + 1;
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'contact') + 1;
  const unanswered = textsOf(messages.slice(start, end));
  if (unanswered.length === 0) return null;
  const written = unanswered.join('\n');
  const text = truncateMiddle(written);
  const before = messages.slice(0, start).reverse();
  const answered = before.find((message) => message.role === 'assistant' && message.calls === undefined);
  const earlier = textsOf(before).map(truncateMiddle);
  const quoted = readQuoted(messages.slice(start, end));
  const subject = earlier.slice(0, maxSubjectDistance).find((message) => !refersBack(message)) ?? earlier[0];
  const previous = quoted === null ? subject : truncateMiddle(quoted);
  const isElliptic = previous !== undefined && splitWords(text).length <= maxEllipticWords;
  return {
    text,
    messages: text === written ? unanswered : [text],
    withPrevious: isElliptic ? `${previous}\n${text}` : null,
    previousReply: answered?.role === 'assistant' ? answered.text : null,
    earlier,
  };
}
