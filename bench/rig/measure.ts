import { readCpuTime } from './cpu-time.ts';
import { type LoadGenerator, type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { median } from './median.ts';
import type { ServerProcess } from './server-process.ts';

/** The size of a run: full for figures, or quick to test the rig. */
export interface Effort {
  pairs: number;
  secondsEach: number;
  warmUpSeconds: number;
}

/** One server under load for some seconds. */
export interface Run extends LoadResult {
  requestsPerSecond: number;
  /** Of the server process, user and system. Null if the OS does not report it. */
  cpuMicrosecondsPerRequest: number | null;
}

/** A floor and Parley, measured one right after the other under the same machine conditions. */
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

/** The default number of connections. */
export const defaultConnections = 32;

interface Target {
  server: ServerProcess;
  request: LoadRequest;
  connections: number;
}

/** Loads floor and Parley in turn, after the warm-up of both. */
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
  const result = await runLoad(generator, { ...request, url: server.url, connections, seconds });
  const after = await readCpuTime(server.pid);
  return {
    ...result,
    requestsPerSecond: result.requests / result.seconds,
    cpuMicrosecondsPerRequest: before === null || after === null ? null : (after - before) / result.requests,
  };
}

/** Returns the medians of the pairs' ratios. A temporary slowdown of the machine affects both sides of a pair. */
export function computeMedians(pairs: readonly Pair[]): Medians {
  const side = (of: (pair: Pair) => Run) => ({
    requestsPerSecond: median(pairs.map((pair) => of(pair).requestsPerSecond)),
    cpuMicrosecondsPerRequest: medianOfMeasured(pairs.map((pair) => of(pair).cpuMicrosecondsPerRequest)),
    p99Ms: median(pairs.map((pair) => of(pair).p99Ms)),
  });
  return {
    floor: side((pair) => pair.floor),
    parley: side((pair) => pair.parley),
    ratio: median(pairs.map(({ floor, parley }) => parley.requestsPerSecond / floor.requestsPerSecond)),
    cpuRatio: medianOfMeasured(pairs.map(cpuRatio)),
  };
}

function cpuRatio({ floor, parley }: Pair): number | null {
  const [ours, bare] = [parley.cpuMicrosecondsPerRequest, floor.cpuMicrosecondsPerRequest];
  return ours === null || bare === null || bare === 0 ? null : ours / bare;
}

function medianOfMeasured(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
