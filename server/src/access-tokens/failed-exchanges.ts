import ipaddr from 'ipaddr.js';
import { createBoundedMap } from '../shared/bounded-map.ts';

const windowSeconds = 60;
/** After this many failures in a window, the address is locked out for the rest of it. */
const maxFailures = 60;

const capacity = 20_000;

/** Slows down guessing of secrets. Other addresses are not affected. */
export interface FailedExchanges {
  /** Runs `exchange`, where null is a failure. `lockedFor` is in seconds, and 0 if the exchange ran. */
  attempt<Result>(
    address: string,
    exchange: () => Promise<Result | null>,
  ): Promise<{ result: Result | null; lockedFor: number }>;
}

interface Window {
  endsAt: number;
  failures: number;
  running: number;
  waiting: (() => void)[];
}

export function createFailedExchanges(): FailedExchanges {
  const windows = createBoundedMap<string, Window>(capacity);
  const getWindow = (address: string): Window => {
    const network = toNetwork(address);
    const known = windows.get(network);
    if (known !== undefined && known.endsAt > performance.now()) return known;
    const endsAt = performance.now() + windowSeconds * 1000;
    const opened = { endsAt, failures: 0, running: 0, waiting: [] };
    windows.set(network, opened);
    return opened;
  };
  return {
    async attempt(address, exchange) {
      const window = getWindow(address);
      // No await between this check and the increment below.
      while (isFull(window)) await new Promise<void>((resume) => window.waiting.push(resume));
      if (isLocked(window)) {
        return {
          result: null,
          lockedFor: Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000)),
        };
      }
      window.running += 1;
      try {
        const result = await exchange();
        if (result === null) window.failures += 1;
        return { result, lockedFor: 0 };
      } finally {
        window.running -= 1;
        for (const resume of window.waiting.splice(0, isLocked(window) ? window.waiting.length : 1)) resume();
      }
    },
  };
}

const isLocked = ({ failures }: Window): boolean => failures >= maxFailures;

/** Runs only as many exchanges at once as may still fail, so that parallel guessing gains nothing. */
const isFull = (window: Window): boolean =>
  !isLocked(window) && window.failures + window.running >= maxFailures;

/** An IPv6 client usually controls a whole /64. */
function toNetwork(given: string): string {
  const address = withoutPort(given);
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^\[(.+)\](?::\d+)?$|^([^:]+):\d+$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}
