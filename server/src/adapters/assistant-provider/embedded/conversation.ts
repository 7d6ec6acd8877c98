import { truncateMiddle } from '../../../knowledge/text-limits.ts';
import type { TurnMessage } from '../assistant-provider.ts';

export interface ContactQuestion {
  /** All messages since the last reply, joined and truncated. */
  text: string;
  /** The single messages, or only `text` if it was truncated. */
  messages: readonly string[];
  previousReply: string | null;
  /** Earlier messages of the contact, truncated, latest first. */
  earlier: readonly string[];
}

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
  return {
    text,
    messages: text === written ? unanswered : [text],
    previousReply: answered?.role === 'assistant' ? answered.text : null,
    earlier: before.flatMap((message) => (message.role === 'contact' ? [truncateMiddle(message.text)] : [])),
  };
}
