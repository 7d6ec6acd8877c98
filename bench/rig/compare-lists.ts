import assert from 'node:assert/strict';
import { type LoadGenerator, runLoad } from './load.ts';
import type { ParleyProcess } from './parley-process.ts';
import type { Rig } from './rig.ts';

/** A list, or a filtered part of it, in one database. */
export interface ListTarget {
  server: ParleyProcess;
  /** Requested in turn. */
  paths: readonly string[];
  /** The total that the responses must contain. */
  total: number;
}

/** Enough to use both cores, and few enough that requests rarely wait for one another. */
const connections = 4;

/**
 * Returns the ratio of the 99th percentiles of `large` and `small`. Both are loaded in turn, and the result is the median
 * of the pairs' ratios. Throws if a total is wrong.
 */
export async function compareLists(
  { generator, effort }: Rig,
  small: ListTarget,
  large: ListTarget,
): Promise<{ ratio: number; smallMs: number; largeMs: number }> {
  for (const list of [small, large]) await checkTotals(list);
  const { pairs, secondsEach, warmUpSeconds } = effort;
  if (warmUpSeconds > 0) {
    await measureP99(generator, small, warmUpSeconds);
    await measureP99(generator, large, warmUpSeconds);
  }
  const measured: { ratio: number; smallMs: number; largeMs: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const smallMs = await measureP99(generator, small, secondsEach);
    const largeMs = await measureP99(generator, large, secondsEach);
    measured.push({ ratio: largeMs / smallMs, smallMs, largeMs });
  }
  const middle = measured.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(pairs / 2)];
  if (middle === undefined) throw new Error('at least one pair is needed');
  return middle;
}

const createHeaders = ({ token }: ParleyProcess) => ({ authorization: `Bearer ${token}` });

async function checkTotals({ server, paths, total }: ListTarget): Promise<void> {
  for (const path of paths) {
    const response = await fetch(server.url + path, { headers: createHeaders(server) });
    // The envelope of all lists.
    const { meta } = (await response.json()) as { meta: { total: number } };
    assert.equal(meta.total, total, `${path} tells a wrong total`);
  }
}

async function measureP99(
  generator: LoadGenerator,
  { server, paths }: ListTarget,
  seconds: number,
): Promise<number> {
  const headers = createHeaders(server);
  const result = await runLoad(generator, {
    method: 'GET',
    url: server.url,
    paths,
    headers,
    connections,
    seconds,
  });
  return result.p99Ms;
}
