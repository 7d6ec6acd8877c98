import type { CandidatePassage } from './embedded.queries.ts';
import type { Language } from './languages.ts';
import { likenessOf } from './likeness.ts';
import type { Findings } from './passage-search.ts';
import type { QueryTerm } from './query.ts';
import { type Span, sentencesOf } from './sentences.ts';
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

type Match = (word: Word) => Met;

/** Reads the candidates closely: which term of the query is met where, and how well. */
export function readCandidates(findings: Findings): ReadPassage[] {
  const { terms } = findings.query;
  const matchers = new Map<Language, Match>();
  return findings.candidates.map((candidate) => {
    const { language = 'simple', name = '' } = findings.documents.get(candidate.documentRef) ?? {};
    const match =
      matchers.get(language) ?? createMatcher(terms, language, findings.stems.get(language) ?? new Map());
    matchers.set(language, match);
    const words = wordsOf(candidate.text);
    const sentences = readSentences(candidate.text, words, match, terms.length);
    return {
      candidate,
      sentences,
      met: bestMet(
        sentences.map(({ met }) => met),
        terms.length,
      ),
      occurrences: terms.map((_, term) => words.reduce((total, word) => total + (match(word)[term] ?? 0), 0)),
      titleMet: bestMet(titleWords(name, candidate.heading).map(match), terms.length),
    };
  });
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
  const remembered = new Map<string, Met>();
  const nothing = terms.map(() => 0);
  return ({ form }) => {
    const known = remembered.get(form);
    if (known !== undefined) return known;
    const stem = stems.get(form);
    const met =
      stem === null ? nothing : terms.map((term) => termLikeness(term, language, folded(form), stem));
    const result = met.some((likeness) => likeness > 0) ? met : nothing;
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

function readSentences(text: string, words: readonly Word[], match: Match, terms: number): ReadSentence[] {
  let next = 0;
  return sentencesOf(text).map((span) => {
    const inside: Word[] = [];
    for (let word = words[next]; word !== undefined && word.start < span.end; word = words[next]) {
      inside.push(word);
      next += 1;
    }
    const matches = inside.map(match);
    return {
      ...span,
      met: bestMet(matches, terms),
      pairs: pairsIn(matches),
      hasNumber: inside.some(
        ({ numeric }, index) => numeric && matches[index]?.every((met) => met === 0) === true,
      ),
    };
  });
}

function pairsIn(matches: readonly Met[]): number {
  let pairs = 0;
  for (const [index, met] of matches.entries()) {
    const previous = matches[index - 1];
    if (previous === undefined) continue;
    for (const [term, likeness] of met.entries()) {
      if (likeness > 0 && (previous[term - 1] ?? 0) > 0) pairs += 1;
    }
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
