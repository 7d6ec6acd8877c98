import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createBatch } from '../../platform/shared/batch.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import type { Logger } from '../../platform/shared/logger.ts';

/** Returns the vector, of length 1, of a text; `null` if it does not read the language. Rejects if the encoder fails or is busy. */
export type EncodeSentence = (text: string, language: string) => Promise<Float32Array | null>;

/** In characters. The time and the memory of the encoder grow with the text. */
const longestText = 200;
const maxBatch = 8;
/** About two seconds of work. Callers that wait longer have given up. */
const maxWaiting = 128;
/** The first batch waits for the weights. */
const maxBatchMs = 15_000;
/** 10 MB of vectors. Many contacts ask the same, and the versions of a bot have most pairs in common. */
const maxCachedTexts = 5_000;
/** The weights are outside the heap. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/**
 * Creates an encoder of short English texts that needs no provider. A text takes 10 to 20 ms, so it runs in a thread, which the
 * first text starts. The thread does not keep the process alive.
 */
export function createSentenceEncoder(
  logger: Pick<Logger, 'warn'>,
  program = new URL('./sentence-encoder-thread.ts', import.meta.url),
): EncodeSentence {
  let thread: Worker | null = null;
  const encodeBatch = async (texts: string[]): Promise<Float32Array[]> => {
    const worker = thread ?? new Worker(program, { resourceLimits });
    thread = worker;
    worker.ref();
    try {
      worker.postMessage(texts);
      const [vectors] = await once(worker, 'message', { signal: AbortSignal.timeout(maxBatchMs) });
      worker.unref();
      return vectors;
    } catch (error) {
      thread = null;
      logger.warn({ err: error }, 'the sentence encoder failed, so questions are compared by words only');
      await worker.terminate();
      throw error;
    }
  };
  const batch = createBatch({ waitMs: 0, maxItems: maxBatch, run: encodeBatch });
  const known = createBoundedMap<string, Float32Array>(maxCachedTexts);
  let waiting = 0;
  const encode = async (text: string): Promise<Float32Array> => {
    if (waiting >= maxWaiting) throw new Error('Too many texts wait for the sentence encoder');
    waiting += 1;
    return batch.add(text).finally(() => {
      waiting -= 1;
    });
  };
  return async (text, language) => {
    if (language !== 'english') return null;
    const key = takeStart(text, longestText).toLowerCase();
    const vector = known.get(key) ?? (await encode(key));
    known.set(key, vector);
    return vector;
  };
}
