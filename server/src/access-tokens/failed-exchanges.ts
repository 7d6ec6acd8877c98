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
  /**
   * Runs an exchange from `address`, of which null is a failure. `lockedFor`: the seconds for which the address is
   * refused; 0 when the exchange was run.
   */
  attempt<Result>(
    address: string,
    exchange: () => Promise<Result | null>,
  ): Promise<{ result: Result | null; lockedFor: number }>;
}

/** What one address did within a minute. */
interface Window {
  endsAt: number;
  failures: number;
  /** Exchanges that may yet fail. */
  underWay: number;
  waiting: (() => void)[];
}

export function createFailedExchanges(): FailedExchanges {
  const windows = createBoundedMap<string, Window>(capacity);
  const windowOf = (address: string): Window => {
    const network = networkOf(address);
    const known = windows.get(network);
    if (known !== undefined && known.endsAt > performance.now()) return known;
    const endsAt = performance.now() + windowSeconds * 1000;
    const opened = { endsAt, failures: 0, underWay: 0, waiting: [] };
    windows.set(network, opened);
    return opened;
  };
  return {
    async attempt(address, exchange) {
      const window = windowOf(address);
      // Checked again after every wait, and counted in the same turn of the event loop.
      while (isFull(window)) await new Promise<void>((go) => window.waiting.push(go));
      if (isLocked(window)) {
        return {
          result: null,
          lockedFor: Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000)),
        };
      }
      window.underWay += 1;
      try {
        const result = await exchange();
        if (result === null) window.failures += 1;
        return { result, lockedFor: 0 };
      } finally {
        window.underWay -= 1;
        for (const go of window.waiting.splice(0, isLocked(window) ? window.waiting.length : 1)) go();
      }
    },
  };
}

const isLocked = ({ failures }: Window): boolean => failures >= failuresAllowed;

/** As many are under way as may still fail, so that guessing at once gains nothing. Others wait to be run or refused. */
const isFull = (window: Window): boolean =>
  !isLocked(window) && window.failures + window.underWay >= failuresAllowed;

/** Whoever has one IPv6 address has all of its /64. */
function networkOf(given: string): string {
  const address = withoutPort(given);
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** Some proxies tell the port as well, which is another one with every connection: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([^:]+):\d+$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}
