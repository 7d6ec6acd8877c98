import type { CandidatePassage } from './embedded.queries.ts';
import type { Language } from './languages.ts';
import { likenessOf } from './likeness.ts';
import type { Findings } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, sentencesOf } from './sentences.ts';
import type { GiveWay } from './time-slices.ts';
import { folded, type Word, wordsOf } from './words.ts';

/** How well each term of the query is met, 0..1, parallel to its terms. */
export type Met = readonly number[];

/** A sentence as the question sees it. */
export interface ReadSentence extends Span {
  met: Met;
  /** How often words that are neighbours in the question are neighbours here. */
  pairs: number;
  /** Whether it has a number that the question does not name. */
  hasNumber: boolean;
}

/** A candidate as the question sees it. */
export interface ReadPassage {
  candidate: CandidatePassage;
  sentences: readonly ReadSentence[];
  /** The best of its sentences, term by term. */
  met: Met;
  /** How often each term occurs, words like it counting in part. */
  occurrences: readonly number[];
  /** How well each term is met in the heading or the document's name. */
  titleMet: Met;
}

/** `null` for a word that has nothing to do with the query, as most have. */
type Match = (word: Word) => Met | null;

/** Reads the candidates closely: which term of the query is met where, and how well. */
export async function readCandidates(findings: Findings, giveWay: GiveWay): Promise<ReadPassage[]> {
  const { terms } = findings.query;
  const matchers = new Map<Language, Match>();
  const passages: ReadPassage[] = [];
  for (const candidate of findings.candidates) {
    await giveWay();
    const { language = 'simple', name = '' } = findings.documents.get(candidate.documentRef) ?? {};
    const match =
      matchers.get(language) ?? createMatcher(terms, language, findings.stems.get(language) ?? new Map());
    matchers.set(language, match);
    const words = wordsOf(candidate.text).map((word) => ({ word, met: match(word) }));
    const sentences = readSentences(candidate.text, words, terms.length);
    const metInSentences = sentences.map(({ met }) => met);
    const metInTitle = titleWords(name, candidate.heading).flatMap((word) => [match(word) ?? []]);
    passages.push({
      candidate,
      sentences,
      met: bestMet(metInSentences, terms.length),
      occurrences: occurrencesOf(words, terms.length),
      titleMet: bestMet(metInTitle, terms.length),
    });
  }
  return passages;
}

/** Numbers in file names are of versions and copies. */
function titleWords(name: string, heading: string | null): Word[] {
  const named = wordsOf(name.replace(/\.\w+$/, '')).filter(({ numeric }) => !numeric);
  return [...named, ...wordsOf(heading ?? '')];
}

/** Tells how well a word meets each term, remembering the words it has seen. */
function createMatcher(
  terms: readonly QueryTerm[],
  language: Language,
  stems: ReadonlyMap<string, string | null>,
): Match {
  const remembered = new Map<string, Met | null>();
  return ({ form }) => {
    const known = remembered.get(form);
    if (known !== undefined) return known;
    const stem = stems.get(form);
    const met = stem === null ? [] : terms.map((term) => termLikeness(term, language, folded(form), stem));
    const result = met.some((likeness) => likeness > 0) ? met : null;
    remembered.set(form, result);
    return result;
  };
}

function termLikeness({ form, readings }: QueryTerm, language: Language, word: string, stem = word): number {
  if (form === word) return 1;
  const reading = readings.get(language);
  if (reading === undefined) return 0;
  return Math.max(reading.related.get(stem) ?? 0, likenessOf(reading.stem, stem));
}

interface ReadWord {
  word: Word;
  met: Met | null;
}

function occurrencesOf(words: readonly ReadWord[], terms: number): number[] {
  const occurrences = Array.from({ length: terms }, () => 0);
  for (const { met } of words) {
    for (const [term, likeness] of met?.entries() ?? [])
      occurrences[term] = (occurrences[term] ?? 0) + likeness;
  }
  return occurrences;
}

function readSentences(text: string, words: readonly ReadWord[], terms: number): ReadSentence[] {
  let next = 0;
  return sentencesOf(text).map((span) => {
    const inside: ReadWord[] = [];
    for (let read = words[next]; read !== undefined && read.word.start < span.end; read = words[next]) {
      inside.push(read);
      next += 1;
    }
    return {
      ...span,
      met: bestMet(
        inside.flatMap(({ met }) => (met === null ? [] : [met])),
        terms,
      ),
      pairs: pairsIn(inside),
      hasNumber: inside.some(({ word, met }) => word.numeric && met === null),
    };
  });
}

function pairsIn(words: readonly ReadWord[]): number {
  let pairs = 0;
  for (const [index, { met }] of words.entries()) {
    const previous = words[index - 1]?.met;
    if (met === null || previous === undefined || previous === null) continue;
    for (const [term, likeness] of met.entries())
      if (likeness > 0 && (previous[term - 1] ?? 0) > 0) pairs += 1;
  }
  return pairs;
}

/** Term by term the best of several. */
export function bestMet(several: readonly Met[], terms: number): number[] {
  const best = Array.from({ length: terms }, () => 0);
  for (const met of several) {
    for (const [term, likeness] of met.entries()) if (likeness > (best[term] ?? 0)) best[term] = likeness;
  }
  return best;
}
