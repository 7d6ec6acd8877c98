import type { Language } from './languages.ts';
import type { Candidate, FoundPassages, SearchContext } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, splitSentences } from './sentences.ts';
import { stemSimilarity } from './stem-similarity.ts';
import { foldDiacritics, splitWords, type Word } from './words.ts';

/** Match of each query term, 0..1, parallel to the terms of the query. */
export type TermMatches = readonly number[];

export interface MatchedSentence extends Span {
  matches: TermMatches;
}

export interface MatchedPassage {
  candidate: Candidate;
  sentences: readonly MatchedSentence[];
  matches: TermMatches;
  titleMatches: TermMatches;
}

/** Returns `null` for a word that matches no term, as most do. */
type MatchWord = (word: Word) => TermMatches | null;

export async function matchCandidates(
  { stemming, yieldControl }: SearchContext,
  { candidates, terms }: FoundPassages,
): Promise<MatchedPassage[]> {
  const passages: MatchedPassage[] = [];
  for (const [language, texts] of Map.groupBy(candidates, ({ document }) => document.language)) {
    const read: { candidate: Candidate; words: Word[]; title: Word[] }[] = [];
    for (const candidate of texts) {
      await yieldControl();
      read.push({ candidate, words: splitWords(candidate.text), title: splitTitle(candidate) });
    }
    const forms = read.flatMap(({ words, title }) => [...words, ...title].map(({ form }) => form));
    const match = createMatcher(terms, language, await stemming.stems(language, forms));
    for (const { candidate, words, title } of read) {
      await yieldControl();
      const met = words.flatMap((word) => {
        const matches = match(word);
        return matches === null ? [] : [{ at: word.start, matches }];
      });
      const best = (among: readonly { matches: TermMatches }[]) =>
        bestMatches(
          among.map(({ matches }) => matches),
          terms.length,
        );
      passages.push({
        candidate,
        sentences: splitSentences(candidate.text).map((span) => ({
          ...span,
          matches: best(met.filter(({ at }) => at >= span.start && at < span.end)),
        })),
        matches: best(met),
        titleMatches: best(title.map((word) => ({ matches: match(word) ?? [] }))),
      });
    }
  }
  return passages;
}

/** Drops numbers from file names, because they are mostly versions and copies. */
function splitTitle({ document, heading }: Candidate): Word[] {
  const named = splitWords(document.name.replace(/\.\w+$/, '')).filter(({ numeric }) => !numeric);
  return [...named, ...splitWords(heading ?? '')];
}

function createMatcher(
  terms: readonly QueryTerm[],
  language: Language,
  stems: ReadonlyMap<string, string | null>,
): MatchWord {
  const remembered = new Map<string, TermMatches | null>();
  return ({ form }) => {
    const known = remembered.get(form);
    if (known !== undefined) return known;
    const [word, stem] = [foldDiacritics(form), stems.get(form)];
    const similarity = (term: QueryTerm): number => {
      if (term.form === word) return 1;
      const own = term.stems.get(language);
      return own === undefined ? 0 : stemSimilarity(own, stem ?? word);
    };
    const matches = stem === null ? [] : terms.map(similarity);
    const result = matches.some((each) => each > 0) ? matches : null;
    remembered.set(form, result);
    return result;
  };
}

export const bestMatches = (several: readonly TermMatches[], terms: number): number[] =>
  Array.from({ length: terms }, (_, term) => Math.max(0, ...several.map((matches) => matches[term] ?? 0)));
