import type { Exchange } from '../../chat/answering/exchanges.sql.ts';

/** Results of actions by `identifyCall`, as the model or the composer got them. */
export type Recordings = ReadonlyMap<string, string>;

/** Returns the same text for the same action and arguments, in whatever order they are written. */
export const identifyCall = (action: string, given: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([action, Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** Collects the results of earlier answers. The newest one counts. `exchanges` are newest first. */
export function collectRecordings(exchanges: readonly Pick<Exchange, 'trace'>[]): Recordings {
  const recordings = new Map<string, string>();
  for (const { trace } of exchanges) {
    const results = trace?.calls ?? trace?.recorded ?? [];
    for (const [index, { name, arguments: given, error }] of (trace?.actions ?? []).entries()) {
      const result = results[index]?.result;
      const id = identifyCall(name, given);
      if (result !== undefined && error === null && !recordings.has(id)) recordings.set(id, result);
    }
  }
  return recordings;
}
