import { CALIBRATION } from './calibration.ts';
import type { Findings } from './passage-search.ts';
import { type ReadPassage, type ReadSentence, readCandidates } from './reading.ts';

export interface RankedPassage extends ReadPassage {
  /** Comparable within one question. */
  score: number;
  /** BM25 by itself. */
  bm25: number;
  /** Share of the question's weight that the passage meets, 0..1. */
  own: number;
  /** The same, with what only neighbours, heading or document name meet counting in part. */
  near: number;
  /** The greatest share that one sentence meets. */
  sentence: number;
}

const K1 = 1.2;
const B = 0.75;
/** How many passages before and after one count as its neighbourhood. */
const NEIGHBOURHOOD = 2;
const NEIGHBOUR_SHARE = 0.5;

/** Reads and ranks the candidates, best first. */
export function rankPassages(findings: Findings): RankedPassage[] {
  const passages = readCandidates(findings);
  const weight = Math.max(sum(findings.weights), Number.EPSILON);
  const share = (met: readonly number[]): number => dot(met, findings.weights) / weight;
  const wordMet = passages.map(({ sentences }) => bestMet(sentences, findings.weights.length));
  const ranked = passages.map((passage, index) => {
    const own = wordMet[index] ?? [];
    const around = neighboursOf(passages, index).map((neighbour) => wordMet[neighbour] ?? []);
    const near = own.map((met, term) =>
      Math.max(
        met,
        NEIGHBOUR_SHARE * Math.max(passage.titled[term] ?? 0, ...around.map((other) => other[term] ?? 0)),
      ),
    );
    const bm25 = bm25Of(passage, findings);
    const best = Math.max(0, ...passage.sentences.map(({ met }) => share(met)));
    const { ranking } = CALIBRATION;
    const score =
      bm25 / weight +
      ranking.own * share(own) +
      ranking.near * share(near) +
      ranking.sentence * best +
      ranking.pairs * Math.min(3, Math.max(0, ...passage.sentences.map(({ pairs }) => pairs)));
    return { ...passage, score, bm25, own: share(own), near: share(near), sentence: best };
  });
  return ranked.sort((a, b) => b.score - a.score);
}

function bm25Of({ occurrences, candidate }: ReadPassage, { weights, averageWords }: Findings): number {
  const length = 1 - B + (B * candidate.wordCount) / Math.max(averageWords, 1);
  return occurrences.reduce(
    (total, count, term) => total + ((weights[term] ?? 0) * count * (K1 + 1)) / (count + K1 * length),
    0,
  );
}

function bestMet(sentences: readonly ReadSentence[], terms: number): number[] {
  return Array.from({ length: terms }, (_, term) =>
    Math.max(0, ...sentences.map(({ met }) => met[term] ?? 0)),
  );
}

function neighboursOf(passages: readonly ReadPassage[], index: number): number[] {
  const own = passages[index]?.candidate;
  return [...passages.keys()].filter((other) => {
    const candidate = passages[other]?.candidate;
    return (
      other !== index &&
      candidate?.documentRef === own?.documentRef &&
      Math.abs((candidate?.ordinal ?? 0) - (own?.ordinal ?? 0)) <= NEIGHBOURHOOD
    );
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, number, index) => total + number * (b[index] ?? 0), 0);
