import { Agent, type RequestOptions, request } from 'node:http';
import type { CountedLoad, Load } from './load.ts';
import { percentile } from './percentile.ts';

/** Sends load from this process if wrk is missing. It tests the rig but gives no usable figures. */
export async function runNodeLoad(load: Load): Promise<CountedLoad> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const latencies: number[] = [];
  let refused = 0;
  let broken = 0;
  let sent = 0;
  const started = performance.now();
  const until = started + load.seconds * 1000;

  const connection = async () => {
    while (performance.now() < until) {
      const path = load.paths[sent % load.paths.length] ?? '/';
      const body = load.bodies?.[sent % load.bodies.length];
      sent += 1;
      const before = performance.now();
      try {
        const options = { agent, path, method: load.method, headers: load.headers };
        const status = await ask(load.url, options, body);
        latencies.push(performance.now() - before);
        if (status >= 400) refused += 1;
      } catch {
        broken += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
  agent.destroy();
  return {
    requests: latencies.length,
    seconds: (performance.now() - started) / 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    refused,
    broken,
  };
}

function ask(url: string, options: RequestOptions, body: string | undefined): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(url, options, (response) => {
    response.resume();
    response.once('end', () => resolve(response.statusCode ?? 0));
  })
    .once('error', reject)
    .end(body);
  return promise;
}
