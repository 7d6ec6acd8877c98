import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Microseconds of CPU, in the program and in the kernel for it, that a process has used; null where there is no /proc. */
export async function readCpuTime(pid: number): Promise<number | null> {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  const stat = await readFile(path, 'utf8');
  // The program's name stands in brackets and may hold blanks: the numbered fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ((userTicks + systemTicks) / ticksPerSecond) * 1_000_000;
}
