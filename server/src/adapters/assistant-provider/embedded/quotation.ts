import type { RankedPassage } from './passage-ranking.ts';
import type { SentenceChance } from './sentence-chances.ts';

/** Words taken from one passage. */
export interface Quote {
  passage: RankedPassage;
  /** Its sentences in reading order; leaps are marked with an ellipsis. */
  text: string;
}

const LEAP = ' … ';

/**
 * Chooses the sentences that most probably hold the answer, as many as fit. `room` is told how many characters the
 * naming of the sources will take once the given passages are quoted.
 */
export function quotesOf(
  ranking: readonly RankedPassage[],
  chances: readonly SentenceChance[],
  mostCharacters: number,
  room: (passages: readonly RankedPassage[]) => number,
): Quote[] {
  let chosen: SentenceChance[] = [];
  const fits = (sentences: readonly SentenceChance[]): boolean => {
    const quotes = joined(ranking, sentences);
    const length = quotes.reduce((total, { text }) => total + text.length, 0);
    return length + room(quotes.map(({ passage }) => passage)) <= mostCharacters;
  };
  for (const sentence of [...chances].sort((a, b) => b.chance - a.chance)) {
    if (fits([...chosen, sentence])) chosen = [...chosen, sentence];
  }
  const [best] = [...chances].sort((a, b) => b.chance - a.chance);
  if (chosen.length > 0 || best === undefined) return joined(ranking, chosen);
  return shortened(joined(ranking, [best]), mostCharacters, room);
}

function joined(ranking: readonly RankedPassage[], sentences: readonly SentenceChance[]): Quote[] {
  const quotes: Quote[] = [];
  const ordered = [...sentences].sort((a, b) => a.rank - b.rank || a.index - b.index);
  let previous: SentenceChance | undefined;
  for (const sentence of ordered) {
    const passage = ranking[sentence.rank];
    const span = passage?.sentences[sentence.index];
    if (passage === undefined || span === undefined) continue;
    const text = passage.candidate.text.slice(span.start, span.end).replace(/\s+/g, ' ');
    const last = quotes.at(-1);
    if (last?.passage === passage) {
      last.text += (previous?.index === sentence.index - 1 ? ' ' : LEAP) + text;
    } else {
      quotes.push({ passage, text });
    }
    previous = sentence;
  }
  return quotes;
}

/** A single sentence longer than the whole reply: its beginning, cut between words. */
function shortened(
  quotes: Quote[],
  mostCharacters: number,
  room: (passages: readonly RankedPassage[]) => number,
): Quote[] {
  return quotes.map(({ passage, text }) => {
    const length = mostCharacters - room([passage]) - LEAP.length;
    const cut = text.lastIndexOf(' ', length);
    return { passage, text: `${text.slice(0, cut > 0 ? cut : length)}${LEAP.trimEnd()}` };
  });
}
