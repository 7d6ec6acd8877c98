import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadFromHere } from './node-load.ts';

/** What is asked, over and over, on every connection. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  /** Asked for in turn. */
  paths: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** JSON texts, sent in turn as well. */
  bodies?: readonly string[];
}

export interface Load extends LoadRequest {
  /** Of the server. */
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

/** What a generator of load counts: answers of 400 and above, and requests without an answer, spoil the figures. */
export interface CountedLoad extends LoadResult {
  refused: number;
  broken: number;
}

export type LoadGenerator = 'wrk' | 'node:http';

const run = promisify(execFile);
const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** wrk where it is installed; else requests from this process, which take more of the CPU than the server's own share. */
export async function findLoadGenerator(): Promise<LoadGenerator> {
  try {
    await run('wrk', ['-v']);
    return 'wrk';
  } catch (error) {
    // wrk -v prints its version and exits with 1.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'node:http' : 'wrk';
  }
}

/** Loads a server and counts; throws when any request was refused or broke. */
export async function putLoad(generator: LoadGenerator, load: Load): Promise<LoadResult> {
  const { refused, broken, ...result } = await countLoad(generator, load);
  if (refused > 0 || broken > 0 || result.requests === 0) {
    throw new Error(
      `${load.method} ${load.url}${load.paths[0]}: of ${result.requests} requests ${refused} were refused and ${broken} broke`,
    );
  }
  return result;
}

/** Loads a server and counts; refusals are what the caller asks about. */
export const countLoad = (generator: LoadGenerator, load: Load): Promise<CountedLoad> =>
  generator === 'wrk' ? loadWithWrk(load) : loadFromHere(load);

async function loadWithWrk(load: Load): Promise<CountedLoad> {
  const { bodies = [] } = load;
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const finished = await run('wrk', [
    ...['-t', '1', '-c', String(load.connections), '-d', `${load.seconds}s`, '--timeout', '30s'],
    ...['-s', script, ...headers],
    ...[load.url, '--', load.method, String(bodies.length), ...bodies, ...load.paths],
  ]).catch((error: { stderr?: string }) => {
    // Without the command, which holds the token.
    throw new Error(`wrk against ${load.url} failed: ${error.stderr ?? ''}`);
  });
  // Written by wrk.lua in this shape, on the last line.
  return JSON.parse(finished.stdout.trim().split('\n').at(-1) ?? '') as CountedLoad;
}
