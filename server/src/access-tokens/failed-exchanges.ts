import ipaddr from 'ipaddr.js';
import { createBoundedMap } from '../shared/bounded-map.ts';

/** Failed exchanges of one address in this many seconds... */
const windowSeconds = 60;
/** ...after which it is locked out until they have passed. */
const failuresAllowed = 60;

/** Addresses remembered at once. */
const capacity = 20_000;

/** Slows down whoever guesses secrets, without locking out other addresses. */
export interface FailedExchanges {
  /** Seconds for which exchanges from `address` are refused; 0 when they are not. */
  lockedFor(address: string): number;
  note(address: string): void;
}

export function createFailedExchanges(): FailedExchanges {
  const windows = createBoundedMap<string, { failures: number; endsAt: number }>(capacity);
  const current = (address: string) => {
    const window = windows.get(networkOf(address));
    return window !== undefined && window.endsAt > performance.now() ? window : undefined;
  };
  return {
    lockedFor(address) {
      const window = current(address);
      if (window === undefined || window.failures < failuresAllowed) return 0;
      return Math.ceil((window.endsAt - performance.now()) / 1000);
    },
    note(address) {
      const window = current(address) ?? { failures: 0, endsAt: performance.now() + windowSeconds * 1000 };
      window.failures += 1;
      windows.set(networkOf(address), window);
    },
  };
}

/** Whoever has one IPv6 address has all of its /64. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
