import type { RankedPassage } from './passage-ranking.ts';
import type { ScoredSentence } from './sentence-scores.ts';

export interface Quote {
  passage: RankedPassage;
  /** Sentences in reading order. An ellipsis marks omissions. */
  text: string;
}

/** Characters of the source lines for quotes from these passages, in this order. */
export type SourceLength = (passages: readonly RankedPassage[]) => number;

type Candidate = Pick<ScoredSentence, 'rank' | 'index' | 'length' | 'chance'>;

const OMISSION = ' … ';
/** Sentences of other passages need this share of the best sentence's probability. */
const MIN_SHARE = 0.15;
/** Bounds the knapsack. Only passages made of very short lines have more sentences. */
const MAX_CANDIDATES = 240;

/** Chooses the sentences that most probably contain the answer and fit into `mostCharacters` with their sources. */
export function selectQuotes(
  ranking: readonly RankedPassage[],
  sentences: readonly Candidate[],
  mostCharacters: number,
  naming: SourceLength,
): Quote[] {
  const [best] = [...sentences].sort((a, b) => b.chance - a.chance);
  if (best === undefined) return [];
  const worthy = selectLikeliest(
    sentences.filter(({ chance, rank }) => rank === best.rank || chance >= best.chance * MIN_SHARE),
  );
  // A further source line costs characters, so it must beat the sentences that would fit instead.
  const ranks = [...new Set([best.rank, ...worthy.map(({ rank }) => rank)])];
  const [chosen = []] = ranks
    .map((_, others) => worthy.filter(({ rank }) => ranks.indexOf(rank) <= others))
    .map((quotable) => selectFitting(ranking, quotable, mostCharacters, naming))
    .sort((a, b) => totalChance(b) - totalChance(a));
  return chosen.length > 0
    ? joinSentences(ranking, chosen)
    : joinSentences(ranking, [best]).map((quote) =>
        truncateQuote(quote, mostCharacters - naming([quote.passage])),
      );
}

function selectLikeliest(sentences: readonly Candidate[]): readonly Candidate[] {
  if (sentences.length <= MAX_CANDIDATES) return sentences;
  const kept = new Set([...sentences].sort((a, b) => b.chance - a.chance).slice(0, MAX_CANDIDATES));
  return sentences.filter((sentence) => kept.has(sentence));
}

const totalChance = (sentences: readonly Candidate[]): number =>
  sentences.reduce((sum, { chance }) => sum + chance, 0);

/** Shrinks the room until the best choice also fits with its source lines, whose length depends on the choice. */
function selectFitting(
  ranking: readonly RankedPassage[],
  sentences: readonly Candidate[],
  mostCharacters: number,
  naming: SourceLength,
): Candidate[] {
  for (let room = mostCharacters; room > 0; ) {
    const chosen = solveKnapsack(sentences, room);
    const quotes = joinSentences(ranking, chosen);
    const length = quotes.reduce((total, { text }) => total + text.length, 0);
    const excess = length + naming(quotes.map(({ passage }) => passage)) - mostCharacters;
    if (excess <= 0) return chosen;
    room -= excess;
  }
  return [];
}

/** Maximizes the sum of probabilities of sentences that take at most `room` characters. */
function solveKnapsack(sentences: readonly Candidate[], room: number): Candidate[] {
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
  const chosen: Candidate[] = [];
  let left = room;
  for (const [item, sentence] of [...sentences.entries()].reverse()) {
    if (taken[item]?.[left] !== 1) continue;
    chosen.push(sentence);
    left -= sentence.length + 1;
  }
  return chosen;
}

function joinSentences(ranking: readonly RankedPassage[], sentences: readonly Candidate[]): Quote[] {
  const quotes: Quote[] = [];
  let previous: Candidate | undefined;
  for (const sentence of [...sentences].sort((a, b) => a.rank - b.rank || a.index - b.index)) {
    const passage = ranking[sentence.rank];
    const span = passage?.sentences[sentence.index];
    if (passage === undefined || span === undefined) continue;
    const text = passage.candidate.text.slice(span.start, span.end).replace(/\s+/g, ' ');
    const last = quotes.at(-1);
    if (last?.passage === passage)
      last.text += (previous?.index === sentence.index - 1 ? ' ' : OMISSION) + text;
    else quotes.push({ passage, text });
    previous = sentence;
  }
  return quotes;
}

/** Cuts a sentence that is too long by itself between words. */
function truncateQuote({ passage, text }: Quote, mostCharacters: number): Quote {
  if (text.length <= mostCharacters) return { passage, text };
  const cut = text.lastIndexOf(' ', mostCharacters - OMISSION.length);
  return {
    passage,
    text: text.slice(0, cut > 0 ? cut : mostCharacters - OMISSION.length) + OMISSION.trimEnd(),
  };
}
