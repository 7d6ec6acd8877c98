import type { TurnMessage } from '../assistant-provider.ts';
import { truncateMiddle } from './text-limits.ts';

/** The last message of the conversation as the contact's words, and what was said before it. */
export interface ContactQuestion {
  /** What is read of all that the contact has written since the assistant last spoke. */
  text: string;
  /** The messages of which it consists; it alone where they are not read as a whole. */
  messages: readonly string[];
  /** The assistant's words before it; `null` at the beginning. */
  previousReply: string | null;
  /** What is read of the contact's earlier messages, latest first. */
  earlier: readonly string[];
}

/** `null` when the conversation does not end with the contact's words. */
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
  const answered = before.find((message) => message.role === 'assistant');
  return {
    text,
    messages: text === written ? unanswered : [text],
    previousReply: answered?.role === 'assistant' ? answered.text : null,
    earlier: before.flatMap((message) => (message.role === 'contact' ? [truncateMiddle(message.text)] : [])),
  };
}
