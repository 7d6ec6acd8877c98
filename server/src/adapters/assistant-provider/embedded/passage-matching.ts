import type { CandidatePassage } from './embedded.queries.ts';
import type { Language } from './languages.ts';
import type { SearchResult } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, splitSentences } from './sentences.ts';
import { stemSimilarity } from './stem-similarity.ts';
import type { YieldControl } from './time-slices.ts';
import { foldDiacritics, splitWords, type Word } from './words.ts';

/** How well each term of the query is met, 0..1, parallel to its terms. */
export type TermMatches = readonly number[];

/** A sentence as the question sees it. */
export interface MatchedSentence extends Span {
  met: TermMatches;
  /** How often words that are neighbours in the question are neighbours here. */
  pairs: number;
  /** Whether it has a number that the question does not name. */
  hasNumber: boolean;
}

/** A candidate as the question sees it. */
export interface MatchedPassage {
  candidate: CandidatePassage;
  sentences: readonly MatchedSentence[];
  /** The best of its sentences, term by term. */
  met: TermMatches;
  /** How often each term occurs, words like it counting in part. */
  occurrences: readonly number[];
  /** How well each term is met in the heading or the document's name. */
  titleMet: TermMatches;
}

/** `null` for a word that has nothing to do with the query, as most have. */
type MatchWord = (word: Word) => TermMatches | null;

/** Reads the candidates closely: which term of the query is met where, and how well. */
export async function matchCandidates(
  findings: SearchResult,
  yieldControl: YieldControl,
): Promise<MatchedPassage[]> {
  const { terms } = findings.query;
  const matchers = new Map<Language, MatchWord>();
  const passages: MatchedPassage[] = [];
  for (const candidate of findings.candidates) {
    await yieldControl();
    const { language = 'simple', name = '' } = findings.documents.get(candidate.documentRef) ?? {};
    const match =
      matchers.get(language) ?? createMatcher(terms, language, findings.stems.get(language) ?? new Map());
    matchers.set(language, match);
    const words = splitWords(candidate.text).map((word) => ({ word, met: match(word) }));
    const sentences = matchSentences(candidate.text, words, terms.length);
    const metInSentences = sentences.map(({ met }) => met);
    const metInTitle = titleWords(name, candidate.heading).flatMap((word) => [match(word) ?? []]);
    passages.push({
      candidate,
      sentences,
      met: bestMatches(metInSentences, terms.length),
      occurrences: countOccurrences(words, terms.length),
      titleMet: bestMatches(metInTitle, terms.length),
    });
  }
  return passages;
}

/** Numbers in file names are of versions and copies. */
function titleWords(name: string, heading: string | null): Word[] {
  const named = splitWords(name.replace(/\.\w+$/, '')).filter(({ numeric }) => !numeric);
  return [...named, ...splitWords(heading ?? '')];
}

/** Tells how well a word meets each term, remembering the words it has seen. */
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
    const met =
      stem === null ? [] : terms.map((term) => termSimilarity(term, language, foldDiacritics(form), stem));
    const result = met.some((similarity) => similarity > 0) ? met : null;
    remembered.set(form, result);
    return result;
  };
}

function termSimilarity(
  { form, readings }: QueryTerm,
  language: Language,
  word: string,
  stem = word,
): number {
  if (form === word) return 1;
  const reading = readings.get(language);
  if (reading === undefined) return 0;
  return Math.max(reading.related.get(stem) ?? 0, stemSimilarity(reading.stem, stem));
}

interface MatchedWord {
  word: Word;
  met: TermMatches | null;
}

function countOccurrences(words: readonly MatchedWord[], terms: number): number[] {
  const occurrences = Array.from({ length: terms }, () => 0);
  for (const { met } of words) {
    for (const [term, similarity] of met?.entries() ?? [])
      occurrences[term] = (occurrences[term] ?? 0) + similarity;
  }
  return occurrences;
}

function matchSentences(text: string, words: readonly MatchedWord[], terms: number): MatchedSentence[] {
  let next = 0;
  return splitSentences(text).map((span) => {
    const inside: MatchedWord[] = [];
    for (let read = words[next]; read !== undefined && read.word.start < span.end; read = words[next]) {
      inside.push(read);
      next += 1;
    }
    return {
      ...span,
      met: bestMatches(
        inside.flatMap(({ met }) => (met === null ? [] : [met])),
        terms,
      ),
      pairs: countNeighbourPairs(inside),
      hasNumber: inside.some(({ word, met }) => word.numeric && met === null),
    };
  });
}

function countNeighbourPairs(words: readonly MatchedWord[]): number {
  let pairs = 0;
  for (const [index, { met }] of words.entries()) {
    const previous = words[index - 1]?.met;
    if (met === null || previous === undefined || previous === null) continue;
    for (const [term, similarity] of met.entries())
      if (similarity > 0 && (previous[term - 1] ?? 0) > 0) pairs += 1;
  }
  return pairs;
}

/** Term by term the best of several. */
export function bestMatches(several: readonly TermMatches[], terms: number): number[] {
  const best = Array.from({ length: terms }, () => 0);
  for (const met of several) {
    for (const [term, similarity] of met.entries())
      if (similarity > (best[term] ?? 0)) best[term] = similarity;
  }
  return best;
}
