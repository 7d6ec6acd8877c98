import { findDateRanges, readDateKind } from './calendar.ts';
import type { FoundPassage } from './knowledge.queries.ts';
import type { Language } from './languages.ts';
import type { FoundPassages, SearchContext } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, splitSentences } from './sentences.ts';
import { stemSimilarity } from './stem-similarity.ts';
import { foldDiacritics, splitForms, splitWords } from './words.ts';

/** Match of each query term, 0..1, parallel to the terms of the query. */
export type TermMatches = readonly number[];

export interface MatchedSentence extends Span {
  matches: TermMatches;
}

export interface MatchedPassage {
  candidate: FoundPassage;
  sentences: readonly MatchedSentence[];
  matches: TermMatches;
  titleMatches: TermMatches;
}

export async function matchCandidates(
  { stemming, yieldControl }: SearchContext,
  { candidates, terms }: FoundPassages,
): Promise<MatchedPassage[]> {
  const passages: MatchedPassage[] = [];
  for (const [language, texts] of Map.groupBy(candidates, ({ language }) => language)) {
    const read = [];
    for (const candidate of texts) {
      await yieldControl();
      const spans = splitSentences(candidate.text).map((span) => ({
        ...span,
        forms: splitForms(candidate.text.slice(span.start, span.end)),
      }));
      read.push({ candidate, spans, title: splitTitle(candidate) });
    }
    const all = read.flatMap(({ spans, title }) => [...spans.flatMap(({ forms }) => forms), ...title]);
    const match = createMatcher(terms, language, await stemming.stems(language, all));
    for (const { candidate, spans, title } of read) {
      await yieldControl();
      const sentences = spans.map((span) => ({ ...span, matches: match(span.forms) }));
      const matches = bestMatches(
        sentences.map((sentence) => sentence.matches),
        terms.length,
      );
      passages.push({ candidate, sentences, matches, titleMatches: match(title) });
    }
  }
  return passages;
}

/** Drops numbers from file names, because they are mostly versions and copies. */
function splitTitle({ document, heading }: FoundPassage): string[] {
  const named = splitWords(document.replace(/\.\w+$/, '')).filter(({ numeric }) => !numeric);
  return [...named.map(({ form }) => form), ...splitForms(heading ?? '')];
}

/** Returns a function that matches the words of a text with the terms. */
function createMatcher(
  terms: readonly QueryTerm[],
  language: Language,
  stems: ReadonlyMap<string, string | null>,
): (forms: readonly string[]) => TermMatches {
  /** Empty for a word that matches no term, as most do. */
  const known = new Map<string, TermMatches>();
  const matchForm = (form: string): TermMatches => {
    const [word, stem] = [foldDiacritics(form), stems.get(form)];
    if (stem === null) return [];
    const matches = terms.map((term) => {
      if (term.form === word) return 1;
      const own = term.stems.get(language);
      return own === undefined ? 0 : stemSimilarity(own, stem ?? word);
    });
    return matches.some((each) => each > 0) ? matches : [];
  };
  const dates = terms.map(({ form }) => readDateKind(form));
  const isDated = dates.some((kind) => kind !== null);
  return (forms) => {
    for (const form of forms) if (!known.has(form)) known.set(form, matchForm(form));
    const matched = forms.map((form) => known.get(form) ?? []).filter(({ length }) => length > 0);
    if (isDated) {
      const ranges = findDateRanges(forms);
      matched.push(dates.map((kind) => (kind !== null && ranges.has(kind) ? rangeMatch : 0)));
    }
    return bestMatches(matched, terms.length);
  };
}

/** A range of dates tells about each date. */
const rangeMatch = 0.9;

export const bestMatches = (several: readonly TermMatches[], terms: number): number[] =>
  Array.from({ length: terms }, (_, term) => Math.max(0, ...several.map((matches) => matches[term] ?? 0)));
