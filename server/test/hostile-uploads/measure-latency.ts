import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../bench/rig/percentile.ts';

/** Pause after each response, so that the measurement does not saturate the machine. */
const restMs = 8;
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
  stretches: number,
  seconds: number,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < stretches; n += 1) {
    const latencies = await latenciesOf(target, seconds);
    found.push(percentile(latencies, 0.99));
  }
  return found;
}

async function latenciesOf(target: ProbeTarget, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  const watch = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await ask(agent, target);
      latencies.push(performance.now() - began);
      await delay(restMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, watch));
  } finally {
    agent.destroy();
  }
  return latencies;
}

function ask(agent: Agent, { url, path, token }: ProbeTarget): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume();
    response.once('error', reject);
    response.once('end', () =>
      response.statusCode === 200
        ? resolve()
        : reject(new Error(`${path} was answered ${response.statusCode}`)),
    );
  }).once('error', reject);
  return promise;
}
