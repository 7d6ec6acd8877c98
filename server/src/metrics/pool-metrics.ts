import { Counter, Gauge, type Registry } from 'prom-client';

/** What pools count. */
export interface PoolMeters {
  /** Messages handed to the network, by what became of them. */
  sends: Counter<'outcome'>;
  /** Claims on messages of the outbox; `again`: after an unknown outcome, or from a pool that went silent. */
  claims: Counter<'kind'>;
  /** What became of sessions. */
  events: Counter<'event'>;
  /** Devices taken over from pools that ended. */
  takenOver: Counter;
  /** Measures this pool whenever the metrics are read, until the answered function is called. */
  observe(pool: ObservedPool): () => void;
}

interface ObservedPool {
  remainingSeconds(): number | null;
  states(): Readonly<Record<string, number>>;
}

export function createPoolMeters(registry: Registry): PoolMeters {
  const registers = [registry];
  const pools = observePools(registers);
  return {
    sends: new Counter({
      name: 'parley_sends_total',
      help: 'Messages handed to the messaging network, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    claims: new Counter({
      name: 'parley_outbox_claims_total',
      help: 'Claims on messages to send; again: after an unknown outcome, or from a pool that went silent.',
      labelNames: ['kind'],
      registers,
    }),
    events: new Counter({
      name: 'parley_session_events_total',
      help: 'Sessions of devices: opened, showing a code, paired, up, stuck, or gone for a reason.',
      labelNames: ['event'],
      registers,
    }),
    takenOver: new Counter({
      name: 'parley_devices_taken_over_total',
      help: 'Devices that this process took over from pools whose lease was over.',
      registers,
    }),
    observe(pool) {
      pools.add(pool);
      return () => void pools.delete(pool);
    },
  };
}

/** The pools that are measured, whoever adds them. */
function observePools(registers: Registry[]): Set<ObservedPool> {
  const pools = new Set<ObservedPool>();
  new Gauge({
    name: 'parley_pool_lease_remaining_seconds',
    help: 'For which this pool may still act on its lease; 0 when it holds none.',
    registers,
    collect() {
      // A process without a pool has no such figure.
      if (pools.size === 0) this.remove();
      else this.set(Math.max(...[...pools].map((pool) => pool.remainingSeconds() ?? 0)));
    },
  });
  new Gauge({
    name: 'parley_sessions',
    help: 'Devices that this pool holds sessions of, by state: waiting, opening, pairing, up.',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const pool of pools) {
        for (const [state, count] of Object.entries(pool.states())) this.inc({ state }, count);
      }
    },
  });
  return pools;
}
