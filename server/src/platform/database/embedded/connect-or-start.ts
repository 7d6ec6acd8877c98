import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { startFailed } from './embedded-server.errors.ts';
import { type StartedPostmaster, startPostmaster } from './postmaster.ts';
import { readRunningPid } from './postmaster-lock.ts';
import { type ConnectionOptions, tryToConnect } from './server-connection.ts';
import { type ServerHome, socketDirectoryFromCluster } from './server-home.ts';
import { socketPort } from './socket-directory.ts';

/** Limit for a server that does not respond. A recovering server does respond. */
const responseTimeoutMs = 120_000;
const pollMs = 20;
const failedStartsAllowed = 3;
const restartPauseMs = 300;

/** Connects to the server, and starts it if necessary. Concurrent calls start only one postmaster. */
export async function connectOrStart(home: ServerHome, options: ConnectionOptions): Promise<pg.Client> {
  let started: StartedPostmaster | undefined;
  let failedStarts = 0;
  let lastResponse = Date.now();
  const logStart = await logSize(home.logPath);
  for (;;) {
    const attempt = await tryToConnect(home, options);
    if (attempt.kind === 'connected') return attempt.client;
    if (attempt.kind === 'busy') lastResponse = Date.now();
    if (attempt.kind === 'not_listening' && started?.hasEnded() !== false) {
      // The new postmaster ends if another program's already runs. Wait for that one.
      if (await isRunning(home)) started = undefined;
      else {
        failedStarts = started === undefined ? 0 : failedStarts + 1;
        if (failedStarts >= failedStartsAllowed) throw await createStartError(home, logStart);
        // The child processes of a killed server need a moment to exit.
        if (failedStarts > 0) await delay(restartPauseMs);
        started = await start(home);
      }
    }
    if (Date.now() - lastResponse > responseTimeoutMs) throw await createStartError(home, logStart);
    await delay(pollMs);
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
      port: String(socketPort),
      unix_socket_directories: socketDirectoryFromCluster,
    },
  });
}

async function logSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function createStartError(home: ServerHome, logStart: number): Promise<Error> {
  const file = await open(home.logPath, 'r');
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096), position: logStart });
  await file.close();
  const fatal = buffer
    .toString('utf8', 0, bytesRead)
    .split('\n')
    .filter((line) => /FATAL|PANIC|HINT/.test(line));
  return startFailed(fatal.slice(-3).join(' ') || 'it logged no error', home.logPath);
}
