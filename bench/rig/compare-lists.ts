import assert from 'node:assert/strict';
import { type LoadGenerator, putLoad } from './load.ts';
import type { ParleyProcess } from './parley-process.ts';
import type { Rig } from './rig.ts';

/** A list, or a part of it, in one database. */
export interface ListOf {
  server: ParleyProcess;
  /** Asked for in turn. */
  paths: readonly string[];
  /** That the answers must tell. */
  total: number;
}

/** Few, so that a request hardly waits for another, and enough to have both cores work. */
const connections = 4;

/**
 * How many times the 99th percentile of `large` is that of `small`: loaded in turn, ratios taken within each pair, then
 * their median. Throws when a total is wrong.
 */
export async function compareLists(
  { generator, effort }: Rig,
  small: ListOf,
  large: ListOf,
): Promise<{ ratio: number; smallMs: number; largeMs: number }> {
  for (const list of [small, large]) await checkTotals(list);
  const { pairs, secondsEach, warmUpSeconds } = effort;
  if (warmUpSeconds > 0) {
    await p99Of(generator, small, warmUpSeconds);
    await p99Of(generator, large, warmUpSeconds);
  }
  const measured: { ratio: number; smallMs: number; largeMs: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const smallMs = await p99Of(generator, small, secondsEach);
    const largeMs = await p99Of(generator, large, secondsEach);
    measured.push({ ratio: largeMs / smallMs, smallMs, largeMs });
  }
  const inTheMiddle = measured.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(pairs / 2)];
  if (inTheMiddle === undefined) throw new Error('there is no median of no pairs');
  return inTheMiddle;
}

const headersOf = ({ token }: ParleyProcess) => ({ authorization: `Bearer ${token}` });

async function checkTotals({ server, paths, total }: ListOf): Promise<void> {
  for (const path of paths) {
    const response = await fetch(server.url + path, { headers: headersOf(server) });
    // The envelope of every list.
    const { meta } = (await response.json()) as { meta: { total: number } };
    assert.equal(meta.total, total, `${path} tells a wrong total`);
  }
}

async function p99Of(generator: LoadGenerator, { server, paths }: ListOf, seconds: number): Promise<number> {
  const headers = headersOf(server);
  const result = await putLoad(generator, {
    method: 'GET',
    url: server.url,
    paths,
    headers,
    connections,
    seconds,
  });
  return result.p99Ms;
}
