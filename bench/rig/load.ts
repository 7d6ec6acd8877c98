import { execFile } from 'node:child_process';
import { Agent, type RequestOptions, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { percentile } from './percentile.ts';

/** The request that every connection repeats. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  /** Requested in turn. */
  paths: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** JSON texts, sent in turn. */
  bodies?: readonly string[];
}

export interface Load extends LoadRequest {
  /** Base URL of the server. */
  url: string;
  connections: number;
  seconds: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** Also counts responses of 400 and above and requests without a response. Both make the figures invalid. */
export interface CountedLoad extends LoadResult {
  refused: number;
  broken: number;
}

export type LoadGenerator = 'wrk' | 'node:http';

const run = promisify(execFile);
const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Returns wrk if it is installed. Requests from this process use more CPU than the server does. */
export async function findLoadGenerator(): Promise<LoadGenerator> {
  try {
    await run('wrk', ['-v']);
    return 'wrk';
  } catch (error) {
    // wrk -v prints its version and exits with 1.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'node:http' : 'wrk';
  }
}

/** Loads a server. Throws if a request failed or got a status of 400 or above. */
export async function runLoad(generator: LoadGenerator, load: Load): Promise<LoadResult> {
  const { refused, broken, ...result } = await countLoad(generator, load);
  if (refused > 0 || broken > 0 || result.requests === 0) {
    throw new Error(
      `${load.method} ${load.url}${load.paths[0]}: of ${result.requests} requests ${refused} were rejected and ${broken} failed`,
    );
  }
  return result;
}

export const countLoad = (generator: LoadGenerator, load: Load): Promise<CountedLoad> =>
  generator === 'wrk' ? loadWithWrk(load) : runNodeLoad(load);

async function loadWithWrk(load: Load): Promise<CountedLoad> {
  const { bodies = [] } = load;
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const finished = await run('wrk', [
    ...['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`, '--timeout', '30s'],
    ...['-s', script, ...headers],
    ...[load.url, '--', load.method, String(bodies.length), ...bodies, ...load.paths],
  ]).catch((error: { stderr?: string }) => {
    // The error's own message contains the command with the token.
    throw new Error(`wrk against ${load.url} failed: ${error.stderr ?? ''}`);
  });
  // wrk.lua prints this shape on the last line.
  return JSON.parse(finished.stdout.trim().split('\n').at(-1) ?? '') as CountedLoad;
}

/** Sends load from this process if wrk is missing. It tests the rig but gives no usable figures. */
async function runNodeLoad(load: Load): Promise<CountedLoad> {
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
