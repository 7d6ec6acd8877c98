import { Counter, Gauge, type Registry } from 'prom-client';

export interface PoolMeters {
  sends: Counter<'outcome'>;
  /** Claims on outbox messages. `again`: after an unknown outcome or an expired lease. */
  claims: Counter<'kind'>;
  events: Counter<'event'>;
  takenOver: Counter;
  /** Adds a pool to the gauges. Returns a function that removes it. */
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
      help: 'Delivery attempts by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    claims: new Counter({
      name: 'parley_outbox_claims_total',
      help: 'Claims on outbox messages. again: after an unknown outcome or an expired lease.',
      labelNames: ['kind'],
      registers,
    }),
    events: new Counter({
      name: 'parley_session_events_total',
      help: 'Session events: opened, code (QR code shown), paired, up, stuck, or the reason why a session ended.',
      labelNames: ['event'],
      registers,
    }),
    takenOver: new Counter({
      name: 'parley_devices_taken_over_total',
      help: 'Devices that this process took over from pools with an expired lease.',
      registers,
    }),
    observe(pool) {
      pools.add(pool);
      return () => void pools.delete(pool);
    },
  };
}

function observePools(registers: Registry[]): Set<ObservedPool> {
  const pools = new Set<ObservedPool>();
  new Gauge({
    name: 'parley_pool_lease_remaining_seconds',
    help: 'Time until the lease of this pool expires. 0 without a lease.',
    registers,
    collect() {
      // A process without a pool does not export this metric.
      if (pools.size === 0) this.remove();
      else this.set(Math.max(...[...pools].map((pool) => pool.remainingSeconds() ?? 0)));
    },
  });
  new Gauge({
    name: 'parley_sessions',
    help: 'Sessions of this pool by state: waiting, opening, pairing, up.',
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
