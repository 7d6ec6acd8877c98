import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { startFailed } from './embedded-server.errors.ts';
import { type StartedPostmaster, startPostmaster } from './postmaster.ts';
import { readRunningPid } from './postmaster-lock.ts';
import { type ConnectionOptions, tryToConnect } from './server-connection.ts';
import { type ServerHome, SOCKET_DIRECTORY_FROM_CLUSTER } from './server-home.ts';
import { SOCKET_PORT } from './socket-directory.ts';

/** No sign of life for this long is a failure. A server that says it is recovering shows life. */
const PATIENCE_MS = 120_000;
const POLL_MS = 20;
const FAILED_STARTS_ALLOWED = 3;
const RESTART_PAUSE_MS = 300;

/**
 * Connects to the server of a home, starting it when none runs, and waiting when one is starting or stopping.
 * Several programs may do so at once: PostgreSQL lets one postmaster live, and all connect to that.
 */
export async function connectOrStart(home: ServerHome, options: ConnectionOptions): Promise<pg.Client> {
  let started: StartedPostmaster | undefined;
  let failedStarts = 0;
  let lastSign = Date.now();
  const logStart = await logSize(home.logPath);
  for (;;) {
    const answer = await tryToConnect(home, options);
    if (answer.kind === 'connected') return answer.client;
    if (answer.kind === 'busy') lastSign = Date.now();
    if (answer.kind === 'silent' && started?.hasEnded() !== false) {
      // Ours may have ended because another program's runs: then that one is waited for.
      if (await isRunning(home)) started = undefined;
      else {
        failedStarts = started === undefined ? 0 : failedStarts + 1;
        if (failedStarts >= FAILED_STARTS_ALLOWED) throw await describeFailure(home, logStart);
        // Orphans of a killed server need a moment to notice; PostgreSQL waits for none of them.
        if (failedStarts > 0) await delay(RESTART_PAUSE_MS);
        started = await start(home);
      }
    }
    if (Date.now() - lastSign > PATIENCE_MS) throw await describeFailure(home, logStart);
    await delay(POLL_MS);
  }
}

async function isRunning(home: ServerHome): Promise<boolean> {
  return (await readRunningPid(home.clusterDirectory)) !== undefined;
}

function start(home: ServerHome): Promise<StartedPostmaster> {
  return startPostmaster({
    directory: home.clusterDirectory,
    binaries: home.binaries,
    account: home.account,
    logPath: home.logPath,
    settings: {
      listen_addresses: '',
      port: String(SOCKET_PORT),
      unix_socket_directories: SOCKET_DIRECTORY_FROM_CLUSTER,
    },
  });
}

async function logSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** What PostgreSQL wrote since we tried is the reason, in its own words. */
async function describeFailure(home: ServerHome, logStart: number): Promise<Error> {
  const file = await open(home.logPath, 'r');
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096), position: logStart });
  await file.close();
  const fatal = buffer
    .toString('utf8', 0, bytesRead)
    .split('\n')
    .filter((line) => /FATAL|PANIC|HINT/.test(line));
  return startFailed(fatal.slice(-3).join(' ') || 'it gave no reason', home.logPath);
}
