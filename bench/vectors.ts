/**
 * Measures the search for near vectors: its time and size with 10,000 and 100,000 random vectors, and how many of the
 * nearest passages the comparison of signs keeps, on the texts and questions of `answers/sets`. No model is called: a text's
 * vector is a random projection of its character n-grams.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { readOptions } from '../scripts/command-line.ts';
import type { SearchableDocument } from '../server/src/knowledge/search/knowledge.queries.ts';
import { splitSentences } from '../server/src/knowledge/search/sentences.ts';
import { findNearestPassages } from '../server/src/knowledge/search/vector-search.ts';
import { completeVectors, insertVectors } from '../server/src/knowledge/search/vectors.queries.ts';
import { encodeVector, multiplyVectors, toSigns } from '../server/src/knowledge/search/vectors.ts';
import { connectDatabase } from '../server/src/platform/database/database.ts';
import { createTestDatabase } from '../server/test/test-database.ts';
import { readAnswerSet, setLanguages, setStyles } from './answers/answer-sets.ts';

const dimensions = 1024;
const model = 'bench';
const projections = new Map<string, Int8Array>();

readOptions('npm run bench:vectors', {});
const database = await createTestDatabase();
const { db, close } = connectDatabase({
  url: database.url,
  poolSize: 2,
  applicationName: 'bench-vectors',
  logger: { warn: (...args: unknown[]) => console.error(...args) },
});
for (const passages of [10_000, 100_000]) await measureTime(passages);
await measureRecall();
await close();
await database.drop();

async function measureTime(count: number): Promise<void> {
  const ref = await store(`random-${count}`, function* () {
    for (let n = 0; n < count; n += 1) yield randomVector();
  });
  await sql`vacuum analyze embedded_provider.passage_vectors`.execute(db);
  const times: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    const start = performance.now();
    await findNearestPassages(db, [documentOf(ref)], model, randomVector());
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const { rows } = await sql<{ heap: number; total: number }>`
    select pg_relation_size('embedded_provider.passage_vectors')::float8 as heap,
      pg_total_relation_size('embedded_provider.passage_vectors')::float8 as total`.execute(db);
  const bytes = rows[0] ?? { heap: 0, total: 0 };
  console.log(
    `${count} passages: median ${times[20]?.toFixed(1)} ms, least ${times[0]?.toFixed(1)} ms; ` +
      `per passage ${(bytes.total / count).toFixed(0)} bytes, ${(bytes.heap / count).toFixed(0)} of them scanned`,
  );
  await sql`delete from embedded_provider.documents`.execute(db);
  await sql`vacuum full embedded_provider.passage_vectors`.execute(db);
}

async function measureRecall(): Promise<void> {
  const [texts, all] = await readTexts();
  const questions = all.filter((_, index) => index % 5 === 0);
  const vectors = texts.map(embed);
  const ref = await store('sets', () => vectors.values());
  const kept = { 8: 0, 50: 0 };
  for (const question of questions) {
    const vector = embed(question);
    const exact = vectors
      .map((each, ordinal) => ({ ordinal, cosine: multiplyVectors(vector, each) }))
      .sort((a, b) => b.cosine - a.cosine);
    const found = await findNearestPassages(db, [documentOf(ref)], model, vector);
    const ordinals = new Set(found.map(({ ordinal }) => ordinal));
    for (const first of [8, 50] as const)
      kept[first] += exact.slice(0, first).filter(({ ordinal }) => ordinals.has(ordinal)).length / first;
  }
  const percent = (sum: number) => `${((100 * sum) / questions.length).toFixed(1)} %`;
  console.log(
    `${texts.length} sentences, ${questions.length} questions: kept ${percent(kept[8])} of the nearest 8, ` +
      `${percent(kept[50])} of the nearest 50`,
  );
}

/** Returns all sentences and all questions. */
async function readTexts(): Promise<[string[], string[]]> {
  const texts = new Set<string>();
  const questions = new Set<string>();
  for (const language of setLanguages) {
    for (const style of setStyles) {
      for (const { text, questions: asked } of (await readAnswerSet(language, style)).articles.flatMap(
        ({ paragraphs }) => paragraphs,
      )) {
        for (const { start, end } of splitSentences(text)) texts.add(text.slice(start, end));
        for (const { question } of asked) questions.add(question);
      }
    }
  }
  return [[...texts], [...questions]];
}

function documentOf(ref: string): SearchableDocument {
  return { ref, language: 'simple', passageCount: 0 };
}

async function store(ref: string, vectors: () => Iterable<Float32Array>): Promise<string> {
  await sql`
    insert into embedded_provider.documents
      (ref, installation_id, team_id, object_id, operation, content_hash, name, language, state, created_at)
    values (${ref}, 'bench', 'bench', 'bench', ${ref}, '', '', 'simple', 'ready', now())`.execute(db);
  let ordinal = 0;
  let batch: Parameters<typeof insertVectors>[3][number][] = [];
  for (const vector of vectors()) {
    batch.push({ ordinal, signs: toSigns(vector), vector: encodeVector(vector) });
    ordinal += 1;
    if (batch.length < 500) continue;
    await insertVectors(db, ref, model, batch);
    batch = [];
  }
  await insertVectors(db, ref, model, batch);
  await sql`
    insert into embedded_provider.passages (document_ref, ordinal, text, terms)
    select ${ref}, n, '', '{}' from generate_series(0, ${ordinal - 1}::int) as n`.execute(db);
  await completeVectors(db, ref, model);
  return ref;
}

function randomVector(): Float32Array {
  return normalize(Float32Array.from({ length: dimensions }, () => Math.random() - 0.5));
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function embed(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  const edged = ` ${text.toLowerCase()} `;
  for (const length of [3, 4, 5]) {
    for (let at = 0; at + length <= edged.length; at += 1) {
      const gram = edged.slice(at, at + length);
      let projection = projections.get(gram);
      if (projection === undefined) {
        const bits = createHash('shake256', { outputLength: dimensions }).update(gram).digest();
        projection = Int8Array.from(bits, (byte) => byte - 128);
        projections.set(gram, projection);
      }
      for (let index = 0; index < dimensions; index += 1)
        vector[index] = (vector[index] ?? 0) + (projection[index] ?? 0);
    }
  }
  return normalize(vector);
}
