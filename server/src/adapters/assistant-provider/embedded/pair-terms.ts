import type { Language } from './languages.ts';
import type { QueryTerm } from './query.ts';
import { stemSimilarity } from './stem-similarity.ts';
import type { YieldControl } from './time-slices.ts';

interface TermPosition {
  pair: number;
  term: number;
}

/** Match of each term, 0..1, parallel to the terms of the question (`asked`) and of the pair (`own`). */
interface MutualMatches {
  asked: Float64Array;
  own: Float64Array;
}

export interface PairTerms {
  /** Returns matches by pair number, for pairs that share any term with the question. */
  match(asked: readonly QueryTerm[], yieldControl: YieldControl): Promise<ReadonlyMap<number, MutualMatches>>;
}

const STEMS_PER_SLICE = 500;

/** Indexes terms by stem, so that a question word is compared once per stem. All pairs are of one language. */
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
      const matches = new Map<number, MutualMatches>();
      const raise = (index: number, places: readonly TermPosition[], similarity: number): void => {
        for (const { pair, term } of places) {
          const own = matches.get(pair) ?? noMatches(asked.length, pairs.get(pair)?.length ?? 0);
          matches.set(pair, own);
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
      return matches;
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
