import type { Language } from './languages.ts';
import type { QueryTerm } from './query.ts';
import { stemSimilarity } from './stem-similarity.ts';
import type { YieldControl } from './time-slices.ts';

/** Where a term stands: in which pair, as which of its terms. */
interface TermPosition {
  pair: number;
  term: number;
}

/** How well the terms of a question and those of a pair are met by each other, 0..1, parallel to either's terms. */
interface MutualMatches {
  asked: Float64Array;
  own: Float64Array;
}

/** The terms of all pairs of one language. */
export interface PairTerms {
  /** The pairs that share anything with the question, by their number. */
  match(asked: readonly QueryTerm[], yieldControl: YieldControl): Promise<ReadonlyMap<number, MutualMatches>>;
}

/** Words that are looked at without giving way: a fraction of a millisecond. */
const STEMS_PER_SLICE = 500;

/**
 * Brings the terms of pairs together, so that a word is compared once with every other word, in however many pairs
 * and places that stands. `pairs`: the terms of each, by its number; all of one language.
 */
export async function createPairTerms(
  language: Language,
  pairs: ReadonlyMap<number, readonly QueryTerm[]>,
  yieldControl: YieldControl,
): Promise<PairTerms> {
  const placesOfForms = new Map<string, TermPosition[]>();
  const placesOfStems = new Map<string, TermPosition[]>();
  for (const [pair, terms] of pairs) {
    await yieldControl();
    for (const [term, { form, readings }] of terms.entries()) {
      addTo(placesOfForms, form, { pair, term });
      const stem = readings.get(language)?.stem;
      if (stem !== undefined) addTo(placesOfStems, stem, { pair, term });
    }
  }
  const stems = [...placesOfStems];
  return {
    async match(asked, yieldControl) {
      const met = new Map<number, MutualMatches>();
      const raise = (index: number, places: readonly TermPosition[], similarity: number): void => {
        for (const { pair, term } of places) {
          const own = met.get(pair) ?? noMatches(asked.length, pairs.get(pair)?.length ?? 0);
          met.set(pair, own);
          own.asked[index] = Math.max(own.asked[index] ?? 0, similarity);
          own.own[term] = Math.max(own.own[term] ?? 0, similarity);
        }
      };
      for (const [index, { form, readings }] of asked.entries()) {
        raise(index, placesOfForms.get(form) ?? [], 1);
        const reading = readings.get(language);
        if (reading === undefined) continue;
        for (let from = 0; from < stems.length; from += STEMS_PER_SLICE) {
          await yieldControl();
          for (const [stem, places] of stems.slice(from, from + STEMS_PER_SLICE)) {
            const similarity = Math.max(reading.related.get(stem) ?? 0, stemSimilarity(reading.stem, stem));
            if (similarity > 0) raise(index, places, similarity);
          }
        }
      }
      return met;
    },
  };
}

function noMatches(asked: number, own: number): MutualMatches {
  return { asked: new Float64Array(asked), own: new Float64Array(own) };
}

function addTo(places: Map<string, TermPosition[]>, word: string, place: TermPosition): void {
  const known = places.get(word);
  if (known === undefined) places.set(word, [place]);
  else known.push(place);
}
