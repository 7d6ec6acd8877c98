/** A message of the chat. */
export interface RecentMessage {
  direction: 'in' | 'out';
  text: string;
  /** When it was stored, in milliseconds since 1970. */
  atMs: number;
}

/** What a contact wrote between two messages to it. */
interface Turn {
  text: string;
  /** Since the last message of the turn before. A person may type while the bot answers. */
  sinceOwnMs: number;
}

interface Rule {
  turns: number;
  /** Of the turns. A person who talks to a bot says something new. */
  distinctTexts: number;
  isMachineLike(turn: Turn): boolean;
}

/** In characters. Shorter texts repeat among people, too: "yes", "2", "ok". */
const shortestText = 20;
/** Characters a second. Fast typists reach it on a keyboard, but not turn after turn, with reading and thinking. */
const fastestTyping = 8;
/** A person who writes so much pauses at some time. */
const longestRunPauseMs = 30_000;
/** After such a pause, a conversation is a new one. */
const longestPauseMs = 10 * 60_000;

const rules: readonly Rule[] = [
  { turns: 6, distinctTexts: 1, isMachineLike: () => true },
  {
    turns: 6,
    distinctTexts: 3,
    isMachineLike: ({ text, sinceOwnMs }) => text.length > (sinceOwnMs / 1000) * fastestTyping,
  },
  { turns: 40, distinctTexts: 10, isMachineLike: ({ sinceOwnMs }) => sinceOwnMs < longestRunPauseMs },
];

/** So many messages show whether a rule applies, if the contact does not write several in most turns. */
export const recentMessageCount = 3 * Math.max(...rules.map(({ turns }) => turns));

/**
 * Returns whether the latest messages of a contact come from a machine, such as another bot or an automatic reply. `messages` are
 * oldest first. Every rule needs repeated texts: somebody who asks many different questions, however fast, gets answers, and so does a
 * new text of a machine.
 */
export function isAutomated(messages: readonly RecentMessage[]): boolean {
  const all = readTurns(messages);
  const newest = simplify(messages.findLast(({ direction }) => direction === 'in')?.text ?? '');
  if (!all.slice(0, -1).some(({ text }) => text === newest)) return false;
  return rules.some(({ turns, distinctTexts, isMachineLike }) => {
    const latest = all.slice(-turns);
    return (
      latest.length === turns &&
      latest.every(({ text }) => text.length >= shortestText) &&
      // The time before the first one says nothing.
      latest.slice(1).every(isMachineLike) &&
      new Set(latest.map(({ text }) => text)).size <= distinctTexts
    );
  });
}

/** The turns since the last long pause. Their texts are in lower case, without punctuation. */
function readTurns(messages: readonly RecentMessage[]): Turn[] {
  let turns: Turn[] = [];
  let ownMs = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  for (const { direction, text: written, atMs } of messages) {
    if (direction === 'out') {
      isOpen = false;
      continue;
    }
    const text = simplify(written);
    const turn = turns.at(-1);
    if (isOpen && turn !== undefined) turn.text += ` ${text}`;
    else {
      if (atMs - ownMs > longestPauseMs) turns = [];
      turns.push({ text, sinceOwnMs: atMs - ownMs });
    }
    isOpen = true;
    ownMs = atMs;
  }
  return turns;
}

const simplify = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
