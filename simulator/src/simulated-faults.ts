export interface SimulatedFault {
  refuse: boolean;
  loseAck: boolean;
  delayMs: number;
}

interface Pending {
  refusals: number;
  lostAcks: number;
  delays: { count: number; ms: number };
}

/** Pending faults for the next messages of each phone's devices, kept in memory. */
export class SimulatedFaults {
  readonly #pending = new Map<string, Pending>();

  refuseNext(phone: string, count: number): void {
    this.#pendingFor(phone).refusals = count;
  }

  loseNextAcks(phone: string, count: number): void {
    this.#pendingFor(phone).lostAcks = count;
  }

  delayAcks(phone: string, count: number, ms: number): void {
    this.#pendingFor(phone).delays = { count, ms };
  }

  /** Consumes the faults for one message. A refusal consumes no other fault. */
  take(phone: string): SimulatedFault {
    const pending = this.#pending.get(phone);
    if (!pending) return { refuse: false, loseAck: false, delayMs: 0 };
    if (pending.refusals > 0) {
      pending.refusals -= 1;
      return { refuse: true, loseAck: false, delayMs: 0 };
    }
    const loseAck = pending.lostAcks > 0;
    if (loseAck) pending.lostAcks -= 1;
    const delayed = pending.delays.count > 0;
    if (delayed) pending.delays.count -= 1;
    return { refuse: false, loseAck, delayMs: delayed ? pending.delays.ms : 0 };
  }

  #pendingFor(phone: string): Pending {
    const pending = this.#pending.get(phone) ?? { refusals: 0, lostAcks: 0, delays: { count: 0, ms: 0 } };
    this.#pending.set(phone, pending);
    return pending;
  }
}
