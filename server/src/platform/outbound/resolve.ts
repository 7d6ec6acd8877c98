import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './destination.ts';

const timeoutMs = 2_500;

/**
 * Resolves allowed names like the operating system, which may know them without DNS. Others go to its DNS servers: `lookup`
 * uses two threads of the process, and names whose servers do not respond would occupy them for 10 s each.
 */
export function createResolve({ servers }: { servers?: readonly string[] } = {}): Resolve {
  return async (hostname, { allowed }) => {
    if (allowed) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    // A new one knows the servers that the operating system uses now.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason;
    return addresses;
  };
}
