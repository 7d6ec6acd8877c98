import { startsWithNotice } from './notice.ts';

/** A message of the chat. */
export interface RecentMessage {
  direction: 'in' | 'out';
  text: string;
  /** When it was stored, in milliseconds since 1970. */
  atMs: number;
}

/** What a contact wrote between two messages to it. */
interface Turn {
  /** Each text once, simplified. */
  texts: string[];
  /** Since the last message of the turn before. A person may type while the bot answers. */
  sinceOwnMs: number;
  /** All of it was said by the bot before. */
  isEcho: boolean;
  /** The contact said, then or before, that it is an automatic assistant. */
  isDeclared: boolean;
}

interface Rule {
  turns: number;
  /** Of the turns. A person who talks to a bot says something new. */
  distinctTexts?: number;
  /** Another text of the contact is answered. */
  endsWithRepetition?: true;
  isMachineLike(turn: Turn, text: string): boolean;
}

/** In characters. Shorter texts repeat among people, too: "yes", "2", "ok". */
const shortestText = 20;
/** In longer texts, numbers are of no account: "your ticket is 4711". */
const longText = 60;
/** Characters a second. Fast typists reach it on a keyboard, but not turn after turn, with reading and thinking. */
const fastestTyping = 6;
/** A person who writes so much pauses at some time. */
const longestRunPauseMs = 30_000;
/** After such a pause, a conversation is a new one. */
const longestPauseMs = 10 * 60_000;

const isFast = ({ sinceOwnMs }: Turn, text: string): boolean =>
  text.length > (sinceOwnMs / 1000) * fastestTyping;

/** With the first message and one with a notice before the texts repeat, two bots write 11 messages at most. */
const rules: readonly Rule[] = [
  { turns: 4, isMachineLike: ({ isEcho }) => isEcho },
  { turns: 5, isMachineLike: (turn, text) => turn.isDeclared && isFast(turn, text) },
  { turns: 5, distinctTexts: 1, isMachineLike: (_, text) => text.length >= shortestText },
  {
    turns: 6,
    distinctTexts: 3,
    endsWithRepetition: true,
    isMachineLike: (turn, text) => text.length >= shortestText && isFast(turn, text),
  },
  {
    turns: 40,
    distinctTexts: 10,
    endsWithRepetition: true,
    isMachineLike: ({ sinceOwnMs }, text) => text.length >= shortestText && sinceOwnMs < longestRunPauseMs,
  },
];

/** So many messages show whether a rule applies, if the contact does not write several in most turns. */
export const recentMessageCount = 3 * Math.max(...rules.map(({ turns }) => turns));

/**
 * Returns whether the latest messages of a contact come from a machine, such as another bot or an automatic reply. `messages` are
 * oldest first. Somebody who asks many different questions, however fast, gets answers, and so does a new text of a machine, unless
 * it said that it is one.
 */
export function isAutomated(messages: readonly RecentMessage[]): boolean {
  const all = readTurns(messages).map((turn) => ({ ...turn, text: turn.texts.join(' ') }));
  const repeats = all.slice(0, -1).some(({ text }) => text === all.at(-1)?.text);
  return rules.some(({ turns, distinctTexts = turns, endsWithRepetition = false, isMachineLike }) => {
    const latest = all.slice(-turns);
    return (
      latest.length === turns &&
      (repeats || !endsWithRepetition) &&
      latest.every((turn) => isMachineLike(turn, turn.text)) &&
      countDistinct(latest.map(({ text }) => text)) <= distinctTexts
    );
  });
}

/** The turns since the last long pause. */
function readTurns(messages: readonly RecentMessage[]): Turn[] {
  let turns: Turn[] = [];
  let ownMs = Number.NEGATIVE_INFINITY;
  let open: Turn | null = null;
  let isDeclared = false;
  const said = new Set<string>();
  for (const { direction, text: written, atMs } of messages) {
    const text = simplify(written);
    if (direction === 'out') {
      said.add(text);
      // Not of a bot that repeats what it reads: it would make echoes of numbered messages.
      if (turns.at(-1)?.texts.at(-1) !== text) said.add(withoutNumbers(text));
      open = null;
      continue;
    }
    const isEcho = text !== '' && (said.has(text) || said.has(withoutNumbers(text) || text));
    isDeclared ||= startsWithNotice(written);
    if (open === null) {
      if (atMs - ownMs > longestPauseMs) turns = [];
      // The time before the first one says nothing.
      open = { texts: [text], sinceOwnMs: turns.length === 0 ? 0 : atMs - ownMs, isEcho, isDeclared };
      turns.push(open);
    } else {
      if (!open.texts.includes(text)) open.texts.push(text);
      open.isEcho &&= isEcho;
    }
    ownMs = atMs;
  }
  return turns;
}

/** Counts nearly equal texts once. */
function countDistinct(texts: readonly string[]): number {
  const distinct: string[] = [];
  for (const text of texts.toSorted((one, other) => one.length - other.length)) {
    if (!distinct.some((known) => isNearlyEqual(text, known))) distinct.push(text);
  }
  return distinct.length;
}

/** The longer text may begin with a greeting or a notice. */
function isNearlyEqual(longer: string, text: string): boolean {
  if (text.length < shortestText) return longer === text;
  return (
    longer.endsWith(text) ||
    (text.length >= longText && withoutNumbers(longer).endsWith(withoutNumbers(text)))
  );
}

/** In lower case, without punctuation. */
const simplify = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const withoutNumbers = (text: string): string =>
  text
    .replaceAll(/\p{N}+/gu, '')
    .replaceAll('  ', ' ')
    .trim();
