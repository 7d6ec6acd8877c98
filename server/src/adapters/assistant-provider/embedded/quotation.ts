import type { RankedPassage } from './passage-ranking.ts';
import type { QuotableSentence } from './sentence-chances.ts';

/** Words taken from one passage. */
export interface Quote {
  passage: RankedPassage;
  /** Its sentences in reading order; leaps are marked with an ellipsis. */
  text: string;
}

/** How many characters it takes to name the sources of quotes from the given passages, in this order. */
export type Naming = (passages: readonly RankedPassage[]) => number;

type Weighed = Pick<QuotableSentence, 'rank' | 'index' | 'length' | 'chance'>;

const LEAP = ' … ';
/** A sentence of another passage than the best one's needs this share of the best sentence's chance. */
const LEAST_SHARE = 0.15;
/** Sentences that are weighed against each other; passages have more only where they are lists of crumbs. */
const MOST_WEIGHED = 240;

/** Chooses the sentences that together most probably hold the answer, and fit into `mostCharacters` with their naming. */
export function quotesOf(
  ranking: readonly RankedPassage[],
  sentences: readonly Weighed[],
  mostCharacters: number,
  naming: Naming,
): Quote[] {
  const [best] = [...sentences].sort((a, b) => b.chance - a.chance);
  if (best === undefined) return [];
  const worthy = likeliest(
    sentences.filter(({ chance, rank }) => rank === best.rank || chance >= best.chance * LEAST_SHARE),
  );
  // Naming a further passage takes room: it is worth it or not, depending on what that room could hold instead.
  const ranks = [...new Set([best.rank, ...worthy.map(({ rank }) => rank)])];
  const [chosen = []] = ranks
    .map((_, others) => worthy.filter(({ rank }) => ranks.indexOf(rank) <= others))
    .map((quotable) => fitting(ranking, quotable, mostCharacters, naming))
    .sort((a, b) => totalChance(b) - totalChance(a));
  return chosen.length > 0
    ? joined(ranking, chosen)
    : joined(ranking, [best]).map((quote) => shortened(quote, mostCharacters - naming([quote.passage])));
}

/** Those to be weighed, in the order given. */
function likeliest(sentences: readonly Weighed[]): readonly Weighed[] {
  if (sentences.length <= MOST_WEIGHED) return sentences;
  const kept = new Set([...sentences].sort((a, b) => b.chance - a.chance).slice(0, MOST_WEIGHED));
  return sentences.filter((sentence) => kept.has(sentence));
}

const totalChance = (sentences: readonly Weighed[]): number =>
  sentences.reduce((sum, { chance }) => sum + chance, 0);

/** The best choice of the sentences that fits, as far as it can be told before the sources are known. */
function fitting(
  ranking: readonly RankedPassage[],
  sentences: readonly Weighed[],
  mostCharacters: number,
  naming: Naming,
): Weighed[] {
  for (let room = mostCharacters; room > 0; ) {
    const chosen = packed(sentences, room);
    const quotes = joined(ranking, chosen);
    const length = quotes.reduce((total, { text }) => total + text.length, 0);
    const excess = length + naming(quotes.map(({ passage }) => passage)) - mostCharacters;
    if (excess <= 0) return chosen;
    room -= excess;
  }
  return [];
}

/** The knapsack: the sentences with the greatest sum of chances that take at most `room` characters. */
function packed(sentences: readonly Weighed[], room: number): Weighed[] {
  const best = new Float64Array(room + 1);
  const taken = sentences.map(() => new Uint8Array(room + 1));
  for (const [item, { length, chance }] of sentences.entries()) {
    for (let used = room; used > length; used -= 1) {
      const total = (best[used - length - 1] ?? 0) + chance;
      if (total <= (best[used] ?? 0)) continue;
      best[used] = total;
      const row = taken[item];
      if (row !== undefined) row[used] = 1;
    }
  }
  const chosen: Weighed[] = [];
  let left = room;
  for (const [item, sentence] of [...sentences.entries()].reverse()) {
    if (taken[item]?.[left] !== 1) continue;
    chosen.push(sentence);
    left -= sentence.length + 1;
  }
  return chosen;
}

function joined(ranking: readonly RankedPassage[], sentences: readonly Weighed[]): Quote[] {
  const quotes: Quote[] = [];
  let previous: Weighed | undefined;
  for (const sentence of [...sentences].sort((a, b) => a.rank - b.rank || a.index - b.index)) {
    const passage = ranking[sentence.rank];
    const span = passage?.sentences[sentence.index];
    if (passage === undefined || span === undefined) continue;
    const text = passage.candidate.text.slice(span.start, span.end).replace(/\s+/g, ' ');
    const last = quotes.at(-1);
    if (last?.passage === passage) last.text += (previous?.index === sentence.index - 1 ? ' ' : LEAP) + text;
    else quotes.push({ passage, text });
    previous = sentence;
  }
  return quotes;
}

/** The beginning of a sentence that is too long by itself, cut between words. */
function shortened({ passage, text }: Quote, mostCharacters: number): Quote {
  if (text.length <= mostCharacters) return { passage, text };
  const cut = text.lastIndexOf(' ', mostCharacters - LEAP.length);
  return { passage, text: text.slice(0, cut > 0 ? cut : mostCharacters - LEAP.length) + LEAP.trimEnd() };
}
