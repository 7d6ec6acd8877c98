import type { WireDownReason } from './protocol.ts';

export interface SimulatedFault {
  refuse: boolean;
  loseAck: boolean;
  delayMs: number;
}

export interface LoginRefusal {
  reason: Extract<WireDownReason, 'suspended' | 'client_outdated' | 'unavailable'>;
  until: Date;
}

interface Pending {
  refusals: number;
  lostAcks: number;
  delays: { count: number; ms: number };
}

/** Pending faults for the next messages of each phone's devices, kept in memory. */
export class SimulatedFaults {
  readonly #pending = new Map<string, Pending>();
  readonly #restrictions = new Map<string, Date>();
  readonly #refusedLogins = new Map<string, LoginRefusal>();

  refuseNext(phone: string, count: number): void {
    this.#pendingFor(phone).refusals = count;
  }

  loseNextAcks(phone: string, count: number): void {
    this.#pendingFor(phone).lostAcks = count;
  }

  delayAcks(phone: string, count: number, ms: number): void {
    this.#pendingFor(phone).delays = { count, ms };
  }

  /** The network refuses new chats of the phone for this long. */
  restrict(phone: string, ms: number): void {
    this.#restrictions.set(phone, new Date(Date.now() + ms));
  }

  /** Returns the end of the restriction, or null. */
  restrictedUntil(phone: string): Date | null {
    const until = this.#restrictions.get(phone);
    return until !== undefined && until > new Date() ? until : null;
  }

  /** Logins of the phone fail for this long. */
  refuseLogins(phone: string, reason: LoginRefusal['reason'], ms: number): LoginRefusal {
    const refusal = { reason, until: new Date(Date.now() + ms) };
    this.#refusedLogins.set(phone, refusal);
    return refusal;
  }

  loginRefusal(phone: string): LoginRefusal | null {
    const refusal = this.#refusedLogins.get(phone);
    return refusal !== undefined && refusal.until > new Date() ? refusal : null;
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
