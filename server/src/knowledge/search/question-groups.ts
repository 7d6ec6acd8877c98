import type { QueryExecutorProvider } from 'kysely';
import { withDeadline } from '../../platform/shared/deadline.ts';
import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import type { EncodeSentence } from '../../ports/embedding/sentence-encoder.ts';
import { calibration } from './calibration.ts';
import { encodeOnce, encodePairs } from './knowledge.ts';
import offTopic from './off-topic.json' with { type: 'json' };
import { scaleCosines } from './pair-ranking.ts';
import {
  createComparison,
  normalizeQuestion,
  type ParsedQuestion,
  parseQuestion,
} from './question-features.ts';
import { createStemming, type Stemming } from './stemming.ts';
import { createTimeSlicer, type YieldControl } from './time-slices.ts';
import { multiplyVectors } from './vectors.ts';
import { splitForms } from './words.ts';

/** Returns the indexes of the questions that ask for the same, the largest group first. The caller bounds the questions. */
export type GroupQuestions = (questions: readonly string[]) => Promise<number[][]>;

/** From 0 to 1. Texts with different meanings share some words, too. */
const leastSimilarity = { byWords: 0.4, byMeaning: 0.46 };
/** After this time, words alone decide about the questions without a vector. */
const longestEncodingMs = 8_000;
/** Few, because contacts wait for the same encoder. */
const encodedTogether = 8;

interface Question extends ParsedQuestion {
  vector: Float32Array | null;
}

/**
 * Creates the function that groups what contacts asked. It compares words as `createPairIndex` does, and meanings with the
 * embedding model or the built-in encoder.
 */
export function createQuestionGroups(options: {
  db: QueryExecutorProvider;
  embedding: GuardedEmbedding | null;
  encode: EncodeSentence;
}): GroupQuestions {
  const { db, embedding } = options;
  const stemming = createStemming(db);
  const encode = embedding === null ? options.encode : encodePairs(embedding);
  const encodeOffTopic = embedding === null ? null : encodeOnce(embedding, offTopic);
  const createYieldControl = createTimeSlicer();
  return async (texts) => {
    const yieldControl = createYieldControl();
    const same = Map.groupBy(texts.keys(), (index) => normalizeQuestion(texts[index] ?? ''));
    // The most frequent one first, because the others join it.
    const groups = [...same.values()].sort((a, b) => b.length - a.length);
    const questions = await parse(
      stemming,
      groups.map(([index = 0]) => texts[index] ?? ''),
      yieldControl,
    );
    let toSimilarity = (cosine: number): number => cosine;
    await withDeadline(longestEncodingMs, async (signal) => {
      await addVectors(questions, encode, signal);
      if (encodeOffTopic === null) return;
      const vectors = questions.flatMap(({ vector }) => vector ?? []);
      toSimilarity = scaleCosines(vectors, await encodeOffTopic());
    }).catch(() => undefined);
    const joined = await join(questions, toSimilarity, yieldControl);
    return joined
      .map((members) => members.flatMap((member) => groups[member] ?? []))
      .sort((a, b) => b.length - a.length);
  };
}

async function parse(
  stemming: Stemming,
  texts: readonly string[],
  yieldControl: YieldControl,
): Promise<Question[]> {
  const detected = await Promise.all(texts.map((text) => stemming.detectLanguages(splitForms(text))));
  const languages = [...new Set(detected.map(([language = 'simple']) => language))];
  const questions: Question[] = [];
  for (const text of texts) {
    await yieldControl();
    questions.push({ ...(await parseQuestion(stemming, languages, text)), vector: null });
  }
  return questions;
}

async function addVectors(
  questions: readonly Question[],
  encode: EncodeSentence,
  signal: AbortSignal,
): Promise<void> {
  for (let first = 0; first < questions.length; first += encodedTogether) {
    signal.throwIfAborted();
    await Promise.all(
      questions.slice(first, first + encodedTogether).map(async (question) => {
        question.vector = await encode(question.text, question.language);
      }),
    );
  }
}

/** Each question joins the group whose first question is the most similar, or begins one. */
async function join(
  questions: readonly Question[],
  toSimilarity: (cosine: number) => number,
  yieldControl: YieldControl,
): Promise<number[][]> {
  const compare = createComparison(questions);
  const share = calibration.pairByMeaning.meaning;
  const groups = new Map<number, number[]>();
  for (const [index, question] of questions.entries()) {
    await yieldControl();
    const similarities = compare(question);
    let [nearest, most] = [index, 0];
    for (const first of groups.keys()) {
      const byWords = similarities[first] ?? 0;
      const vector = questions[first]?.vector ?? null;
      const excess =
        question.vector === null || vector === null
          ? byWords - leastSimilarity.byWords
          : (1 - share) * byWords +
            share * toSimilarity(multiplyVectors(question.vector, vector)) -
            leastSimilarity.byMeaning;
      if (excess > most) [nearest, most] = [first, excess];
    }
    const group = groups.get(nearest);
    if (group === undefined) groups.set(index, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}
