import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { type GuardedEmbedding, isLasting } from '../../ports/embedding/guarded-embedding.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import type { Db } from './knowledge.queries.ts';
import {
  completeVectors,
  type EncodedVector,
  findDocumentsToEmbed,
  findPassagesToEmbed,
  insertVectors,
  type PassageToEmbed,
} from './vectors.queries.ts';
import { encodeVector, toSigns } from './vectors.ts';

const batchSize = 32;
const maxFailuresInARow = 3;
/** A text that no provider refuses. */
const probeText = 'Hello';

interface BackfillDeps {
  db: Db;
  installationId: string;
  embedding: GuardedEmbedding;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Gives vectors to passages that have none of the configured model. A repeated run continues where the last one ended,
 * because every batch is stored at once.
 */
export function embedPassagesJob(deps: BackfillDeps): Job {
  return {
    name: 'embed-passages',
    schedule: '* * * * *',
    maxAttempts: 2,
    oneAtATime: true,
    run: (_payload, signal) => embedPassages(deps, signal),
  };
}

async function embedPassages(deps: BackfillDeps, signal: AbortSignal): Promise<void> {
  const { db, embedding, installationId, logger } = deps;
  const { model } = embedding;
  let [passages, failures] = [0, 0];
  for (;;) {
    // A batch of each team in turn, so that no team waits for all documents of another one.
    const documents = await findDocumentsToEmbed(db, installationId, model);
    if (documents.length === 0) break;
    for (const { ref, teamId } of documents) {
      if (signal.aborted) return;
      try {
        passages += await embedBatch(deps, ref, signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (!(error instanceof ProviderError) || isLasting(error) || failures === maxFailuresInARow)
          throw error;
        logger.warn(
          { err: error, kind: error.kind, teamId, document: ref },
          'passages could not be embedded',
        );
        // Timers drop fractions of a millisecond: without the rounding, the next try would come within the pause and fail.
        const pauseMs = Math.ceil(embedding.pauseMs('passages')) + 1;
        await delay(pauseMs, undefined, { signal }).catch(() => undefined); // stopping
      }
    }
  }
  if (passages > 0) logger.info({ model, passages }, 'all passages have vectors');
}

/** Returns the number of passages. Fewer than a batch are the last ones of the document. */
async function embedBatch(
  { db, embedding }: BackfillDeps,
  documentRef: string,
  signal: AbortSignal,
): Promise<number> {
  const passages = await findPassagesToEmbed(db, documentRef, embedding.model, batchSize);
  if (passages.length > 0) {
    const vectors = await embedEach(embedding, passages, signal);
    await insertVectors(db, documentRef, embedding.model, vectors);
  }
  if (passages.length < batchSize) await completeVectors(db, documentRef, embedding.model);
  return passages.length;
}

/** Passages that the provider refuses get no vector, so that only their words find them. */
async function embedEach(
  embedding: GuardedEmbedding,
  passages: readonly PassageToEmbed[],
  signal: AbortSignal,
): Promise<EncodedVector[]> {
  const embed = (texts: readonly string[]) => embedding.embed(texts, 'passages', signal);
  try {
    const texts = passages.map(({ heading, text }) => (heading === null ? text : `${heading}\n\n${text}`));
    const vectors = await embed(texts);
    return passages.map(({ ordinal }, index) => {
      const vector = vectors[index] ?? null;
      return { ordinal, signs: vector && toSigns(vector), vector: vector && encodeVector(vector) };
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
    // Rejects if the provider refuses every text.
    await embed([probeText]);
    if (passages.length === 1) return passages.map(({ ordinal }) => ({ ordinal, signs: null, vector: null }));
    const half = Math.ceil(passages.length / 2);
    return [
      ...(await embedEach(embedding, passages.slice(0, half), signal)),
      ...(await embedEach(embedding, passages.slice(half), signal)),
    ];
  }
}
