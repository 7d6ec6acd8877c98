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
  /** Gets what PostgreSQL writes; opened by us, so the account needs no access to it. */
  readonly logPath: string;
  /** Win over `postgresql.conf`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A postmaster this program has started. */
export interface StartedPostmaster {
  hasEnded(): boolean;
}

/**
 * Starts the postmaster of a cluster in a session of its own: it outlives this program, and signals of the terminal
 * do not reach it. If another one runs on the cluster already, PostgreSQL itself ends the new one with a status.
 */
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

/** `fast` ends connections and writes a checkpoint; `immediate` is a crash that the next start recovers from. */
export type StopMode = 'fast' | 'immediate';

const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Stops the postmaster of a cluster, if one runs, and waits until it is gone, at most `timeoutMs`. */
export async function stopPostmaster(directory: string, mode: StopMode, timeoutMs = 60_000): Promise<void> {
  const pid = await readRunningPid(directory);
  if (pid === undefined) return;
  process.kill(pid, STOP_SIGNALS[mode]);
  const deadline = Date.now() + timeoutMs;
  // Its lock file goes a moment before it does, and until then a successor would find its memory in use.
  while (await isPostmasterOf(pid, directory)) {
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL ${pid} still runs ${timeoutMs} ms after it was told to stop`);
    }
    await delay(10);
  }
}
