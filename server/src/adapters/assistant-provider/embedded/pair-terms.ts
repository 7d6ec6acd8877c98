import type { Language } from './languages.ts';
import { likenessOf } from './likeness.ts';
import type { QueryTerm } from './query.ts';
import type { GiveWay } from './time-slices.ts';

/** Where a term stands: in which pair, as which of its terms. */
interface Place {
  pair: number;
  term: number;
}

/** How well the terms of a question and those of a pair are met by each other, 0..1, parallel to either's terms. */
interface MutuallyMet {
  asked: Float64Array;
  own: Float64Array;
}

/** The terms of all pairs of one language. */
export interface PairTerms {
  /** The pairs that share anything with the question, by their number. */
  meet(asked: readonly QueryTerm[], giveWay: GiveWay): Promise<ReadonlyMap<number, MutuallyMet>>;
}

/** Words that are looked at without giving way: a fraction of a millisecond. */
const LOOKED_AT_ONCE = 500;

/**
 * Brings the terms of pairs together, so that a word is compared once with every other word, in however many pairs
 * and places that stands. `pairs`: the terms of each, by its number; all of one language.
 */
export async function createPairTerms(
  language: Language,
  pairs: ReadonlyMap<number, readonly QueryTerm[]>,
  giveWay: GiveWay,
): Promise<PairTerms> {
  const placesOfForms = new Map<string, Place[]>();
  const placesOfStems = new Map<string, Place[]>();
  for (const [pair, terms] of pairs) {
    await giveWay();
    for (const [term, { form, readings }] of terms.entries()) {
      addTo(placesOfForms, form, { pair, term });
      const stem = readings.get(language)?.stem;
      if (stem !== undefined) addTo(placesOfStems, stem, { pair, term });
    }
  }
  const stems = [...placesOfStems];
  return {
    async meet(asked, giveWay) {
      const met = new Map<number, MutuallyMet>();
      const raise = (index: number, places: readonly Place[], likeness: number): void => {
        for (const { pair, term } of places) {
          const own = met.get(pair) ?? unmet(asked.length, pairs.get(pair)?.length ?? 0);
          met.set(pair, own);
          own.asked[index] = Math.max(own.asked[index] ?? 0, likeness);
          own.own[term] = Math.max(own.own[term] ?? 0, likeness);
        }
      };
      for (const [index, { form, readings }] of asked.entries()) {
        raise(index, placesOfForms.get(form) ?? [], 1);
        const reading = readings.get(language);
        if (reading === undefined) continue;
        for (let from = 0; from < stems.length; from += LOOKED_AT_ONCE) {
          await giveWay();
          for (const [stem, places] of stems.slice(from, from + LOOKED_AT_ONCE)) {
            const likeness = Math.max(reading.related.get(stem) ?? 0, likenessOf(reading.stem, stem));
            if (likeness > 0) raise(index, places, likeness);
          }
        }
      }
      return met;
    },
  };
}

function unmet(asked: number, own: number): MutuallyMet {
  return { asked: new Float64Array(asked), own: new Float64Array(own) };
}

function addTo(places: Map<string, Place[]>, word: string, place: Place): void {
  const known = places.get(word);
  if (known === undefined) places.set(word, [place]);
  else known.push(place);
}
