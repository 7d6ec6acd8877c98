/** Turns texts into vectors whose cosine tells how near their meanings are. */
export interface Embedding {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /** Returns one vector of length 1 per text, in order. Sends one request. Rejects with `ProviderError`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
