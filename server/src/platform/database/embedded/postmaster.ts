import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresBinaries } from './binaries.ts';
import { dataDirectoryArgument } from './cluster.ts';
import { invalidateStaleLock, isPostmasterOf, readRunningPid } from './postmaster-lock.ts';
import { programEnvironment } from './run-program.ts';
import type { ServerAccount } from './server-account.ts';

interface PostmasterRequest {
  readonly directory: string;
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  /** Opened by this program, so `account` needs no access to it. */
  readonly logPath: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface StartedPostmaster {
  hasEnded(): boolean;
}

/** Starts a postmaster in its own session, so it outlives this program and does not receive the terminal's signals. */
export async function startPostmaster(request: PostmasterRequest): Promise<StartedPostmaster> {
  const { directory, binaries, account, logPath, settings } = request;
  await invalidateStaleLock(directory);
  const log = await open(logPath, 'a', 0o600);
  try {
    const child = spawn(
      binaries.postgres,
      [
        ...['-D', dataDirectoryArgument(directory, account)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      {
        cwd: directory,
        env: programEnvironment(),
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        ...account,
      },
    );
    await once(child, 'spawn');
    child.unref();
    return { hasEnded: () => child.exitCode !== null || child.signalCode !== null };
  } finally {
    await log.close();
  }
}

/** Makes a running server read its configuration files again. */
export async function reloadSettings(directory: string): Promise<void> {
  const pid = await readRunningPid(directory);
  if (pid !== undefined) process.kill(pid, 'SIGHUP');
}

/** `immediate` is a crash that the next start recovers from. */
export type StopMode = 'fast' | 'immediate';

const stopSignals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

export async function stopPostmaster(directory: string, mode: StopMode, timeoutMs = 60_000): Promise<void> {
  const pid = await readRunningPid(directory);
  if (pid === undefined) return;
  process.kill(pid, stopSignals[mode]);
  const deadline = Date.now() + timeoutMs;
  // The lock file disappears before the process. A new postmaster would find the shared memory in use.
  while (await isPostmasterOf(pid, directory)) {
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL ${pid} is still running ${timeoutMs} ms after the stop signal`);
    }
    await delay(10);
  }
}
