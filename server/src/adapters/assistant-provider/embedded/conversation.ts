import { truncateMiddle } from '../../../knowledge/text-limits.ts';
import { splitWords } from '../../../knowledge/words.ts';
import type { TurnMessage } from '../assistant-provider.ts';

export interface ContactQuestion {
  /** All messages since the last reply, joined and truncated. */
  text: string;
  /** The single messages, or only `text` if it was truncated. */
  messages: readonly string[];
  /** `text` after the message before it, to which a short message may refer; null for other messages. */
  withPrevious: string | null;
  previousReply: string | null;
  /** Earlier messages of the contact, truncated, latest first. */
  earlier: readonly string[];
}

const maxEllipticWords = 6;

/** Returns `null` if the last message is not from the contact. */
export function readContactQuestion(messages: readonly TurnMessage[]): ContactQuestion | null {
  let end = messages.length;
  const unanswered: string[] = [];
  for (let message = messages[end - 1]; message?.role === 'contact'; message = messages[end - 1]) {
    unanswered.unshift(message.text);
    end -= 1;
  }
  if (unanswered.length === 0) return null;
  const written = unanswered.join('\n');
  const text = truncateMiddle(written);
  const before = messages.slice(0, end).reverse();
  const answered = before.find((message) => message.role === 'assistant' && message.calls === undefined);
  const earlier = before.flatMap((message) =>
    message.role === 'contact' ? [truncateMiddle(message.text)] : [],
  );
  const isElliptic = earlier.length > 0 && splitWords(text).length <= maxEllipticWords;
  return {
    text,
    messages: text === written ? unanswered : [text],
    withPrevious: isElliptic ? `${earlier[0]}\n${text}` : null,
    previousReply: answered?.role === 'assistant' ? answered.text : null,
    earlier,
  };
}
