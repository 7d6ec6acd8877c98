import { execFile } from 'node:child_process';
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A number no process has. PostgreSQL takes a lock file with it as left by a crash, and still checks by the shared
 * memory named in the file that no orphan of that crash is at work.
 */
const NO_PROCESS = 999_999_999;

/** The process id of the postmaster running on the cluster at `directory`, in whatever state; undefined if none. */
export async function readRunningPid(directory: string): Promise<number | undefined> {
  const pid = parsePid(await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => ''));
  return pid !== undefined && (await isPostmasterOf(pid, directory)) ? pid : undefined;
}

/**
 * Makes a lock file harmless whose process id meanwhile belongs to another program.
 *
 * PostgreSQL asks only whether *a* process of its user has the id written there. After a power cut or in a restarted
 * container, where ids begin anew, one often has, and PostgreSQL would refuse to start for ever.
 */
export async function invalidateStaleLock(directory: string): Promise<void> {
  const lockPath = join(directory, 'postmaster.pid');
  // Read once: between two looks another program's postmaster may have started and taken the lock, or ended and left none.
  const lock = await readFile(lockPath, 'utf8').catch(() => '');
  const pid = parsePid(lock);
  if (pid === undefined || !isAlive(pid) || (await isPostmasterOf(pid, directory))) return;
  for (const path of [lockPath, socketLockPath(directory, lock)]) replaceOwner(path, pid);
}

/** Read, compare and replace in one turn, so that a lock taken by a postmaster started meanwhile is let be. */
function replaceOwner(path: string, pid: number): void {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  if (parsePid(content) !== pid) return;
  const draft = `${path}.stale`;
  writeFileSync(draft, content.replace(/^\d+/, String(NO_PROCESS)), { mode: 0o600 });
  const { uid, gid } = statSync(path);
  chownSync(draft, uid, gid);
  renameSync(draft, path);
}

/** Line 4 of the lock file is the port, line 5 the directory of the socket, relative to the cluster or absolute. */
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

/**
 * Whether the process is a postmaster of the cluster at `directory`, which must exist. A postmaster works in its cluster's
 * directory for all its life: that tells it from a program that got its id later.
 */
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
