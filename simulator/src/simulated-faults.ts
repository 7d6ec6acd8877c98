/** What the network does with one hand-off of a message. */
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

/** Faults waiting for the next hand-offs of each phone's devices. They end with the process. */
export class SimulatedFaults {
  readonly #pending = new Map<string, Pending>();

  refuseNext(phone: string, count: number): void {
    this.#of(phone).refusals = count;
  }

  loseNextAcks(phone: string, count: number): void {
    this.#of(phone).lostAcks = count;
  }

  delayAcks(phone: string, count: number, ms: number): void {
    this.#of(phone).delays = { count, ms };
  }

  /** Uses up what is waiting for one hand-off. A refused one uses up nothing else. */
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

  #of(phone: string): Pending {
    const pending = this.#pending.get(phone) ?? { refusals: 0, lostAcks: 0, delays: { count: 0, ms: 0 } };
    this.#pending.set(phone, pending);
    return pending;
  }
}
