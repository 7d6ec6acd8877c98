import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A server of its own process: Parley or a floor. */
export interface ServerProcess {
  /** Empty where nothing is served. */
  url: string;
  pid: number;
  /** As an operator or the system does; `stop` waits for the end, whatever brought it. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 30_000;

/**
 * Starts a program and waits until it writes a JSON line with its address as `api`, or one that says `ready`. What it
 * writes goes to the file `log`, as a deployment's request log does.
 */
export async function startServerProcess(options: {
  /** Run by this Node; or a command with its arguments. */
  program: string | readonly [string, ...string[]];
  log: string;
  environment: Readonly<Record<string, string>>;
  /** For the runtime: what a profile needs. */
  execArgs?: readonly string[];
}): Promise<ServerProcess> {
  const log = await open(options.log, 'w');
  const { program } = options;
  const [command, ...args] =
    typeof program === 'string' ? [process.execPath, ...(options.execArgs ?? []), program] : program;
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...options.environment },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const ended = once(child, 'exit');
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  const stop = async () => {
    kill('SIGTERM');
    // One that stands still hears of nothing.
    kill('SIGCONT');
    await ended;
  };
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const written = await readFile(options.log, 'utf8');
    const url = addressIn(written);
    if (url !== undefined && child.pid !== undefined) return { url, pid: child.pid, kill, stop };
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start:\n${written}`);
    }
    await delay(20);
  }
}

function addressIn(log: string): string | undefined {
  for (const line of log.split('\n').slice(0, -1)) {
    if (!line.startsWith('{')) continue;
    // A line of Parley's log, or of a floor.
    const { api, pool, simulator, msg } = JSON.parse(line) as Record<string, string | undefined>;
    if (api !== undefined) return api;
    if (msg === 'ready') return pool ?? simulator ?? '';
  }
  return undefined;
}
