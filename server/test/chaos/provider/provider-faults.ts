import type { CallName, OrderedFault } from './calls.ts';

/** What is to go wrong with the next calls; forgotten when the process ends. */
export class ProviderFaultList {
  #ordered: OrderedFault[] = [];

  order(mischief: OrderedFault): void {
    this.#ordered.push({ ...mischief });
  }

  clear(): void {
    this.#ordered = [];
  }

  /** Uses up one for this call. */
  take(call: CallName): OrderedFault | null {
    const found = this.#ordered.find((ordered) => ordered.call === call && ordered.count > 0);
    if (found === undefined) return null;
    found.count -= 1;
    return found;
  }
}
