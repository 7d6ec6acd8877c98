import type { Embedding } from './embedding.ts';
import type { EmbeddingOptions } from './openai-compatible.ts';

/** Loads the client's package, which takes a fifth of a second, without delaying the start. */
export function createEmbedding(options: EmbeddingOptions): Embedding {
  const adapter = import('./openai-compatible.ts').then((module) =>
    module.createOpenAiCompatibleEmbedding(options),
  );
  adapter.catch(() => undefined); // `embed` rejects with it
  return { model: options.model, embed: async (...call) => (await adapter).embed(...call) };
}
