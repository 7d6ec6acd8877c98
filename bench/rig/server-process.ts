import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A server of its own process: Parley or a floor. */
export interface ServerProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 30_000;

/**
 * Starts a program and waits until it writes a JSON line with its address as `api`. What it writes goes to the file
 * `log`, as a deployment's request log does.
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
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const written = await readFile(options.log, 'utf8');
    const url = addressIn(written);
    if (url !== undefined && child.pid !== undefined) return { url, pid: child.pid, stop };
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
    const { api } = JSON.parse(line) as { api?: unknown };
    if (typeof api === 'string') return api;
  }
  return undefined;
}
