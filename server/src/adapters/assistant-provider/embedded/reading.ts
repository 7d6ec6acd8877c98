import type { CandidatePassage } from './embedded.queries.ts';
import { likenessOf } from './likeness.ts';
import type { Findings } from './passage-search.ts';
import { type Span, sentencesOf } from './sentences.ts';
import { folded, type Word, wordsOf } from './words.ts';

/** A sentence as the question sees it. */
export interface ReadSentence extends Span {
  /** How well each term of the query is met, 0..1. */
  met: readonly number[];
  /** Neighbouring words of the question that are neighbours here too. */
  pairs: number;
  hasNumber: boolean;
  /** Capitalised words that the question does not name. */
  newNames: number;
}

/** A candidate as the question sees it. */
export interface ReadPassage {
  candidate: CandidatePassage;
  sentences: readonly ReadSentence[];
  /** How often each term of the query occurs, relatives counting in part. */
  occurrences: readonly number[];
  /** How well each term is met in the heading or the document's name. */
  titled: readonly number[];
}

/** Reads the candidates closely: which term of the query is met where, and how well. */
export function readCandidates(findings: Findings): ReadPassage[] {
  const matcher = createMatcher(findings);
  return findings.candidates.map((candidate) => {
    const language = findings.documents.get(candidate.documentRef)?.language ?? 'simple';
    const match = (word: Word): readonly number[] => matcher(language, word);
    const occurrences = findings.query.terms.map(() => 0);
    const words = wordsOf(candidate.text);
    let next = 0;
    const sentences = sentencesOf(candidate.text).map((span) => {
      const inside: Word[] = [];
      for (let word = words[next]; word !== undefined && word.start < span.end; word = words[++next])
        inside.push(word);
      return readSentence(span, inside, match, occurrences);
    });
    const title = `${candidate.heading ?? ''} ${findings.documents.get(candidate.documentRef)?.name ?? ''}`;
    return {
      candidate,
      sentences,
      occurrences,
      titled: bestOf(wordsOf(title).map(match), occurrences.length),
    };
  });
}

/** Tells how well a word meets each term, remembering the words it has seen. */
function createMatcher(findings: Findings): (language: string, word: Word) => readonly number[] {
  const { terms } = findings.query;
  const remembered = new Map<string, readonly number[]>();
  const strangers = terms.map(() => 0);
  return (language, word) => {
    const key = `${language} ${word.form}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const stem = [...findings.stems].find(([name]) => name === language)?.[1].get(word.form);
    const form = folded(word.form);
    const met =
      stem === null
        ? strangers
        : terms.map((term) => {
            if (term.form === form) return 1;
            return Math.max(0, ...[...term.stems.values()].map((wanted) => likenessOf(wanted, stem ?? form)));
          });
    const result = met.some((likeness) => likeness > 0) ? met : strangers;
    remembered.set(key, result);
    return result;
  };
}

function readSentence(
  span: Span,
  words: readonly Word[],
  match: (word: Word) => readonly number[],
  occurrences: number[],
): ReadSentence {
  const matches = words.map(match);
  let pairs = 0;
  let newNames = 0;
  for (const [index, met] of matches.entries()) {
    const previous = matches[index - 1];
    for (const [term, likeness] of met.entries()) {
      occurrences[term] = (occurrences[term] ?? 0) + likeness;
      if (likeness > 0 && term > 0 && (previous?.[term - 1] ?? 0) > 0) pairs += 1;
    }
    if (index > 0 && words[index]?.capitalised === true && met.every((likeness) => likeness === 0))
      newNames += 1;
  }
  return {
    ...span,
    met: bestOf(matches, occurrences.length),
    pairs,
    hasNumber: words.some(
      ({ numeric }, index) => numeric && (matches[index] ?? []).every((likeness) => likeness === 0),
    ),
    newNames,
  };
}

function bestOf(matches: readonly (readonly number[])[], terms: number): number[] {
  return Array.from({ length: terms }, (_, term) =>
    matches.reduce((best, met) => Math.max(best, met[term] ?? 0), 0),
  );
}
