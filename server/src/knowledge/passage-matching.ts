import type { CandidatePassage } from './knowledge.queries.ts';
import type { Language } from './languages.ts';
import type { FoundPassages } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, splitSentences } from './sentences.ts';
import { stemSimilarity } from './stem-similarity.ts';
import type { YieldControl } from './time-slices.ts';
import { foldDiacritics, splitWords, type Word } from './words.ts';

/** Match of each query term, 0..1, parallel to the terms of the query. */
export type TermMatches = readonly number[];

export interface MatchedSentence extends Span {
  matches: TermMatches;
}

export interface MatchedPassage {
  candidate: CandidatePassage;
  sentences: readonly MatchedSentence[];
  matches: TermMatches;
  /** Occurrences of each term. Similar words count in part. */
  occurrences: readonly number[];
  titleMatches: TermMatches;
}

/** Returns `null` for a word that matches no term, as most do. */
type MatchWord = (word: Word) => TermMatches | null;

export async function matchCandidates(
  found: FoundPassages,
  yieldControl: YieldControl,
): Promise<MatchedPassage[]> {
  const { terms } = found;
  const matchers = new Map<Language, MatchWord>();
  const passages: MatchedPassage[] = [];
  for (const candidate of found.candidates) {
    await yieldControl();
    const { language = 'simple', name = '' } = found.documents.get(candidate.documentRef) ?? {};
    const match =
      matchers.get(language) ?? createMatcher(terms, language, found.stems.get(language) ?? new Map());
    matchers.set(language, match);
    const words = splitWords(candidate.text).map((word) => ({ word, matches: match(word) }));
    const sentences = matchSentences(candidate.text, words, terms.length);
    const sentenceMatches = sentences.map(({ matches }) => matches);
    const titleWordMatches = titleWords(name, candidate.heading).flatMap((word) => [match(word) ?? []]);
    passages.push({
      candidate,
      sentences,
      matches: bestMatches(sentenceMatches, terms.length),
      occurrences: countOccurrences(words, terms.length),
      titleMatches: bestMatches(titleWordMatches, terms.length),
    });
  }
  return passages;
}

/** Drops numbers from file names, because they are mostly versions and copies. */
function titleWords(name: string, heading: string | null): Word[] {
  const named = splitWords(name.replace(/\.\w+$/, '')).filter(({ numeric }) => !numeric);
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
    const stem = stems.get(form);
    const matches =
      stem === null ? [] : terms.map((term) => termSimilarity(term, language, foldDiacritics(form), stem));
    const result = matches.some((similarity) => similarity > 0) ? matches : null;
    remembered.set(form, result);
    return result;
  };
}

function termSimilarity({ form, stems }: QueryTerm, language: Language, word: string, stem = word): number {
  if (form === word) return 1;
  const own = stems.get(language);
  return own === undefined ? 0 : stemSimilarity(own, stem);
}

interface MatchedWord {
  word: Word;
  matches: TermMatches | null;
}

function countOccurrences(words: readonly MatchedWord[], terms: number): number[] {
  const occurrences = Array.from({ length: terms }, () => 0);
  for (const { matches } of words) {
    for (const [term, similarity] of matches?.entries() ?? [])
      occurrences[term] = (occurrences[term] ?? 0) + similarity;
  }
  return occurrences;
}

function matchSentences(text: string, words: readonly MatchedWord[], terms: number): MatchedSentence[] {
  let next = 0;
  return splitSentences(text).map((span) => {
    const inside: TermMatches[] = [];
    for (let read = words[next]; read !== undefined && read.word.start < span.end; read = words[next]) {
      if (read.matches !== null) inside.push(read.matches);
      next += 1;
    }
    return { ...span, matches: bestMatches(inside, terms) };
  });
}

export function bestMatches(several: readonly TermMatches[], terms: number): number[] {
  const best = Array.from({ length: terms }, () => 0);
  for (const matches of several) {
    for (const [term, similarity] of matches.entries())
      if (similarity > (best[term] ?? 0)) best[term] = similarity;
  }
  return best;
}
