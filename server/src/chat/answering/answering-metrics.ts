import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface AnsweringMeters {
  ended: Counter<'outcome'>;
  /** Claims on conversations. `again`: after a failure or an expired claim. */
  claims: Counter<'kind'>;
  durations: Histogram;
  /** Adds a worker's number of claims to the gauge. Returns a function that removes it. */
  observe(countClaims: () => number): () => void;
}

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createAnsweringMeters(registry: Registry): AnsweringMeters {
  const registers = [registry];
  const workers = new Set<() => number>();
  new Gauge({
    name: 'parley_answering_claims',
    help: 'Conversations that this process has claimed.',
    registers,
    collect() {
      // A process without a worker does not export this metric.
      if (workers.size === 0) this.remove();
      else this.set([...workers].reduce((sum, countClaims) => sum + countClaims(), 0));
    },
  });
  return {
    ended: new Counter({
      name: 'parley_answers_total',
      help: 'Answering attempts by outcome: done, failed, lost (another worker claimed the conversation), handed back.',
      labelNames: ['outcome'],
      registers,
    }),
    claims: new Counter({
      name: 'parley_answering_claims_total',
      help: 'Claims on conversations to answer. again: after a failure or an expired claim.',
      labelNames: ['kind'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_answer_duration_seconds',
      help: 'Time from the claim on a conversation to the end of the attempt.',
      buckets: seconds,
      registers,
    }),
    observe(countClaims) {
      workers.add(countClaims);
      return () => void workers.delete(countClaims);
    },
  };
}
