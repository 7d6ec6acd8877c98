import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A server in a separate process: Parley or a floor. */
export interface ServerProcess {
  /** Empty for a process that serves nothing. */
  url: string;
  pid: number;
  /** Sends a signal. `stop` waits for the exit. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const startDeadlineMs = 30_000;

/**
 * Starts a program and waits until it prints a JSON line with its address as `api`, or the entry `ready`. Its output goes
 * to the file `log`, as in a deployment.
 */
export async function startServerProcess(options: {
  /** A file for this Node, or a command with its arguments. */
  program: string | readonly [string, ...string[]];
  log: string;
  environment: Readonly<Record<string, string>>;
  /** Node options, such as those of a profile. */
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
    // A stopped process must continue before it can handle the signal.
    kill('SIGCONT');
    await ended;
  };
  const deadline = performance.now() + startDeadlineMs;
  for (;;) {
    const written = await readFile(options.log, 'utf8');
    const url = findAddress(written);
    if (url !== undefined && child.pid !== undefined) return { url, pid: child.pid, kill, stop };
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start:\n${written}`);
    }
    await delay(20);
  }
}

function findAddress(log: string): string | undefined {
  for (const line of log.split('\n').slice(0, -1)) {
    if (!line.startsWith('{')) continue;
    const { api, pool, simulator, msg } = JSON.parse(line) as Record<string, string | undefined>;
    if (api !== undefined) return api;
    if (msg === 'ready') return pool ?? simulator ?? '';
  }
  return undefined;
}
