import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../bench/rig/percentile.ts';

/** Pause after each response, so that the measurement does not saturate the machine. */
const pauseMs = 8;
const connections = 4;

export interface ProbeTarget {
  /** Address of the API. */
  url: string;
  path: string;
  token: string;
}

/**
 * Returns the 99th percentile of the latency of a GET in milliseconds, for each interval of `seconds`. Throws unless
 * all responses are 200.
 */
export async function measureP99s(
  target: ProbeTarget,
  intervals: number,
  seconds: number,
): Promise<number[]> {
  const p99s: number[] = [];
  for (let n = 0; n < intervals; n += 1) {
    const latencies = await measureLatencies(target, seconds);
    p99s.push(percentile(latencies, 0.99));
  }
  return p99s;
}

/** Returns the median latency of a GET in milliseconds. Throws unless all responses are 200. */
export async function measureMedian(target: ProbeTarget, seconds: number): Promise<number> {
  return percentile(await measureLatencies(target, seconds), 0.5);
}

async function measureLatencies(target: ProbeTarget, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  const probe = async () => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      await sendRequest(agent, target);
      latencies.push(performance.now() - startedAt);
      await delay(pauseMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, probe));
  } finally {
    agent.destroy();
  }
  return latencies;
}

function sendRequest(agent: Agent, { url, path, token }: ProbeTarget): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume();
    response.once('error', reject);
    response.once('end', () =>
      response.statusCode === 200 ? resolve() : reject(new Error(`${path} returned ${response.statusCode}`)),
    );
  }).once('error', reject);
  return promise;
}
