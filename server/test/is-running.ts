import { existsSync, readFileSync } from 'node:fs';

/** False also for a process that has ended but that nobody has collected yet, as in a container without an init. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/^\d+ \(.*\) Z/.test(readFileSync(status, 'utf8'));
}
