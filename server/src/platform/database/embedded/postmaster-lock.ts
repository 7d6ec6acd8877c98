import { execFile } from 'node:child_process';
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Above the highest id of any system, so no process has it. PostgreSQL still checks whether the crashed server left processes. */
const unusedPid = 999_999_999;

/** Returns the process id of the postmaster that runs the cluster in `directory`, if there is one. */
export async function readRunningPid(directory: string): Promise<number | undefined> {
  const pid = parsePid(await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => ''));
  return pid !== undefined && (await isPostmasterOf(pid, directory)) ? pid : undefined;
}

/**
 * Replaces the process id in the lock files of a postmaster that no longer runs. PostgreSQL would refuse to start if another
 * program has that id now.
 */
export async function invalidateStaleLock(directory: string): Promise<void> {
  const lockPath = join(directory, 'postmaster.pid');
  // Read the file once. A postmaster that another process starts may replace it at any time.
  const lock = await readFile(lockPath, 'utf8').catch(() => '');
  const pid = parsePid(lock);
  if (pid === undefined || !isAlive(pid) || (await isPostmasterOf(pid, directory))) return;
  for (const path of [lockPath, socketLockPath(directory, lock)]) replacePid(path, pid);
}

/** Skips a file that names another process. Synchronous, so that a postmaster has hardly any time to write its lock in between. */
function replacePid(path: string, pid: number): void {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  if (parsePid(content) !== pid) return;
  const draft = `${path}.stale`;
  writeFileSync(draft, content.replace(/^\d+/, String(unusedPid)), { mode: 0o600 });
  const { uid, gid } = statSync(path);
  chownSync(draft, uid, gid);
  renameSync(draft, path);
}

function socketLockPath(directory: string, lock: string): string {
  const [, , , port, socketDirectory = ''] = lock.split('\n');
  const base = socketDirectory.startsWith('/') ? socketDirectory : join(directory, socketDirectory);
  return join(base, `.s.PGSQL.${port}.lock`);
}

function parsePid(content: string): number | undefined {
  const pid = Number.parseInt(content, 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A postmaster's working directory is its cluster. Another program that got the same id has a different one. */
export async function isPostmasterOf(pid: number, directory: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return workingDirectory !== undefined && workingDirectory === (await realpath(directory));
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres') && stdout.includes(directory);
}
