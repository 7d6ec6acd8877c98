import ipaddr from 'ipaddr.js';
import { createBoundedMap } from '../../shared/bounded-map.ts';

const windowMs = 60_000;
const capacity = 20_000;

/** Counts an attempt. Returns the seconds to wait if the name exceeds its limit, otherwise 0. */
export type CountAttempt = (name: string) => number;

/** Counts attempts per name and minute in this process. */
export function createAttemptCounter(maxPerMinute: number): CountAttempt {
  const windows = createBoundedMap<string, { endsAt: number; attempts: number }>(capacity);
  return (name) => {
    const now = performance.now();
    const known = windows.get(name);
    const window =
      known !== undefined && known.endsAt > now ? known : { endsAt: now + windowMs, attempts: 0 };
    if (window !== known) windows.set(name, window);
    window.attempts += 1;
    return window.attempts > maxPerMinute ? Math.max(1, Math.ceil((window.endsAt - now) / 1000)) : 0;
  };
}

/** Returns the name of a client's network. An IPv6 client usually controls a whole /64. */
export function toNetwork(given: string): string {
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
