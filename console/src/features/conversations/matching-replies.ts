import type { StoredReplies } from '@parley/sdk';

export type SavedReply = StoredReplies['replies'][number];

/** The replies whose name begins with what follows the `/` of the text. Empty if the text is something else. */
export function matchingReplies(replies: readonly SavedReply[], text: string): SavedReply[] {
  const typed = /^\/(?<name>\S*)$/.exec(text)?.groups?.['name'];
  if (typed === undefined) return [];
  return replies.filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase())).slice(0, 8);
}
