import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../bench/rig/percentile.ts';

/** Milliseconds of rest after each answer: the machine is not saturated by being watched. */
const restMs = 8;
const connections = 4;

export interface ProbeTarget {
  /** Of the api. */
  url: string;
  path: string;
  token: string;
}

/**
 * The 99th percentile of the latencies of a GET, in milliseconds, in each of so many stretches of `seconds`. Throws on
 * an answer that is not 200.
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
