import type { CallName, ProviderFault } from './calls.ts';

/** The pending faults; lost when the process ends. */
export class ProviderFaultList {
  #ordered: ProviderFault[] = [];

  order(fault: ProviderFault): void {
    this.#ordered.push({ ...fault });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** Returns and consumes one fault for this call. */
  take(call: CallName): ProviderFault | null {
    const found = this.#ordered.find((ordered) => ordered.call === call && ordered.count > 0);
    if (found === undefined) return null;
    found.count -= 1;
    return found;
  }
}
