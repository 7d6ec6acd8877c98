import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What workers count of answering. */
export interface AnsweringMeters {
  /** Answers under way that ended, by how. */
  ended: Counter<'outcome'>;
  /** Claims on conversations; `again`: after a failure, or from a worker that went silent. */
  claims: Counter<'kind'>;
  /** Seconds from the claim to the end. */
  durations: Histogram;
  /** Measures how many claims are held whenever the metrics are read, until the answered function is called. */
  observe(held: () => number): () => void;
}

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createAnsweringMeters(registry: Registry): AnsweringMeters {
  const registers = [registry];
  const workers = new Set<() => number>();
  new Gauge({
    name: 'parley_answering_claims',
    help: 'Conversations that this worker has claimed now.',
    registers,
    collect() {
      // A process without workers has no such figure.
      if (workers.size === 0) this.remove();
      else this.set([...workers].reduce((all, held) => all + held(), 0));
    },
  });
  return {
    ended: new Counter({
      name: 'parley_answers_total',
      help: 'Conversations worked on, by how that ended: done, failed, lost to another worker, handed back.',
      labelNames: ['outcome'],
      registers,
    }),
    claims: new Counter({
      name: 'parley_answering_claims_total',
      help: 'Claims on conversations to answer; again: after a failure, or from a worker that went silent.',
      labelNames: ['kind'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_answer_duration_seconds',
      help: 'Time from the claim on a conversation to its end.',
      buckets: seconds,
      registers,
    }),
    observe(held) {
      workers.add(held);
      return () => void workers.delete(held);
    },
  };
}
