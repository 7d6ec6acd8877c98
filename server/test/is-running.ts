import { existsSync, readFileSync } from 'node:fs';

/** Returns false for zombies, too. Containers without an init keep them. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/^\d+ \(.*\) Z/.test(readFileSync(status, 'utf8'));
}
