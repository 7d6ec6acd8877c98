import { Counter, type Registry } from 'prom-client';

/** Requests to a service besides the language model. */
export interface ServiceMeters {
  requests: Counter<'purpose' | 'outcome'>;
}

export const createEmbeddingMeters = (registry: Registry): ServiceMeters =>
  createServiceMeters(
    registry,
    'parley_embedding_requests_total',
    'Requests to the embedding provider, by purpose (question, pairs, passages)',
  );

export const createSpeechMeters = (registry: Registry): ServiceMeters =>
  createServiceMeters(
    registry,
    'parley_speech_requests_total',
    'Requests to the speech provider, by purpose (speech, transcription)',
  );

const createServiceMeters = (registry: Registry, name: string, help: string): ServiceMeters => ({
  requests: new Counter({
    name,
    help: `${help} and outcome (ok, or the kind of failure).`,
    labelNames: ['purpose', 'outcome'],
    registers: [registry],
  }),
});
