import type { CallName, OrderedFault } from './calls.ts';

/** The pending faults; lost when the process ends. */
export class ProviderFaultList {
  #ordered: OrderedFault[] = [];

  order(fault: OrderedFault): void {
    this.#ordered.push({ ...fault });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** Returns and consumes one fault for this call. */
  take(call: CallName): OrderedFault | null {
    const found = this.#ordered.find((ordered) => ordered.call === call && ordered.count > 0);
    if (found === undefined) return null;
    found.count -= 1;
    return found;
  }
}
