import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Returns the CPU time of a process in microseconds, user and system. Null without /proc. */
export async function readCpuTime(pid: number): Promise<number | null> {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  const stat = await readFile(path, 'utf8');
  // The program's name is in parentheses and may contain blanks, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ((userTicks + systemTicks) / ticksPerSecond) * 1_000_000;
}
