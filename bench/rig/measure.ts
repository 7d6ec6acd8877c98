import { readCpuTime } from './cpu-time.ts';
import { type LoadGenerator, type LoadRequest, type LoadResult, putLoad } from './load.ts';
import { median } from './median.ts';
import type { ServerProcess } from './server-process.ts';

/** How much of everything: a run for figures, or a quick one that shows that the rig works. */
export interface Effort {
  pairs: number;
  secondsEach: number;
  warmUpSeconds: number;
}

/** One server under load for a few seconds. */
export interface Run extends LoadResult {
  requestsPerSecond: number;
  /** Of the server process, in user and system mode; null where the system does not tell. */
  cpuMicrosecondsPerRequest: number | null;
}

/** A floor and Parley, one right after the other, so that both met the same machine. */
export interface Pair {
  floor: Run;
  parley: Run;
}

export interface Medians {
  floor: Pick<Run, 'requestsPerSecond' | 'cpuMicrosecondsPerRequest' | 'p99Ms'>;
  parley: Pick<Run, 'requestsPerSecond' | 'cpuMicrosecondsPerRequest' | 'p99Ms'>;
  /** Parley's requests per second over the floor's. */
  ratio: number;
  /** Parley's CPU per request over the floor's. */
  cpuRatio: number | null;
}

/** Of a load, where nothing else is said. */
export const CONNECTIONS = 32;

interface Target {
  server: ServerProcess;
  request: LoadRequest;
  connections: number;
}

/** Loads floor and Parley in turn, after a warm-up of both, if any. */
export async function measurePairs(
  generator: LoadGenerator,
  targets: { floor: Target; parley: Target },
  effort: Effort,
): Promise<Pair[]> {
  if (effort.warmUpSeconds > 0) {
    await measure(generator, targets.floor, effort.warmUpSeconds);
    await measure(generator, targets.parley, effort.warmUpSeconds);
  }
  const pairs: Pair[] = [];
  for (let i = 0; i < effort.pairs; i++) {
    pairs.push({
      floor: await measure(generator, targets.floor, effort.secondsEach),
      parley: await measure(generator, targets.parley, effort.secondsEach),
    });
  }
  return pairs;
}

async function measure(
  generator: LoadGenerator,
  { server, request, connections }: Target,
  seconds: number,
): Promise<Run> {
  const before = await readCpuTime(server.pid);
  const result = await putLoad(generator, { ...request, url: server.url, connections, seconds });
  const after = await readCpuTime(server.pid);
  return {
    ...result,
    requestsPerSecond: result.requests / result.seconds,
    cpuMicrosecondsPerRequest: before === null || after === null ? null : (after - before) / result.requests,
  };
}

/** Ratios are taken within each pair, then their median: what slows the machine for a while slows both of a pair. */
export function mediansOf(pairs: readonly Pair[]): Medians {
  const side = (of: (pair: Pair) => Run) => ({
    requestsPerSecond: median(pairs.map((pair) => of(pair).requestsPerSecond)),
    cpuMicrosecondsPerRequest: medianOfKnown(pairs.map((pair) => of(pair).cpuMicrosecondsPerRequest)),
    p99Ms: median(pairs.map((pair) => of(pair).p99Ms)),
  });
  return {
    floor: side((pair) => pair.floor),
    parley: side((pair) => pair.parley),
    ratio: median(pairs.map(({ floor, parley }) => parley.requestsPerSecond / floor.requestsPerSecond)),
    cpuRatio: medianOfKnown(pairs.map(cpuRatioOf)),
  };
}

function cpuRatioOf({ floor, parley }: Pair): number | null {
  const [ours, bare] = [parley.cpuMicrosecondsPerRequest, floor.cpuMicrosecondsPerRequest];
  return ours === null || bare === null || bare === 0 ? null : ours / bare;
}

function medianOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
