import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError } from '@ai-sdk/provider';
import { toProviderError } from '../language-model/ai-sdk-errors.ts';
import { ProviderError } from '../provider-error.ts';
import type { Embedding } from './embedding.ts';

export interface EmbeddingOptions {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** Drives the embeddings endpoint of OpenAI's API, which most providers and servers of local models offer. */
export function createOpenAiCompatibleEmbedding({ baseUrl, apiKey, model }: EmbeddingOptions): Embedding {
  const client = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl,
    ...(apiKey === null ? {} : { apiKey }),
  }).embeddingModel(model);
  return {
    model,
    async embed(texts, signal) {
      signal.throwIfAborted();
      try {
        const { embeddings } = await client.doEmbed({ values: [...texts], abortSignal: signal });
        if (embeddings.length !== texts.length) {
          throw new ProviderError('transient', 'The provider returned another number of vectors');
        }
        return embeddings.map(normalize);
      } catch (error) {
        signal.throwIfAborted();
        throw toEmbeddingError(error);
      }
    },
  };
}

/** Statuses that concern the texts, unless the body names another cause: they are too long or too many. */
const refusals: readonly (number | undefined)[] = [400, 413, 422];

function toEmbeddingError(error: unknown): ProviderError {
  const known = toProviderError(error);
  if (known.kind !== 'rejected' || !APICallError.isInstance(error)) return known;
  return refusals.includes(error.statusCode)
    ? new ProviderError('refused', error.message, { cause: error })
    : known;
}

/** OpenAI's largest model returns 3,072. */
const maxDimensions = 4096;

function normalize(vector: readonly number[]): Float32Array {
  if (vector.length > maxDimensions) {
    throw new ProviderError(
      'invalid_config',
      `The model returns ${vector.length} dimensions; at most ${maxDimensions} are supported`,
    );
  }
  const length = Math.hypot(...vector);
  if (!(length > 0 && length < Infinity))
    throw new ProviderError('transient', 'The provider returned a vector without a length');
  return Float32Array.from(vector, (value) => value / length);
}
