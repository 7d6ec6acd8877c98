import { readdir, readFile } from 'node:fs/promises';

/** Bytes that a process holds in memory, those shared with others included. Linux alone tells. */
export async function residentBytes(pid: number): Promise<number> {
  return kilobytes(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** Bytes that a process and its children hold together, what they share counted once. */
export async function residentBytesOfTree(pid: number): Promise<number> {
  const pids = [pid, ...(await childrenOf(pid))];
  const parts = await Promise.all(
    pids.map(async (member) => {
      // One that ended in this moment holds nothing.
      const rollup = await readFile(`/proc/${member}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB');
      return kilobytes(rollup, 'Pss');
    }),
  );
  return parts.reduce((sum, bytes) => sum + bytes, 0);
}

/** The process that started this one. */
export async function parentOf(pid: number): Promise<number> {
  const [, parent] = /^PPid:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(parent);
}

/** Of the processes that run now. Linux alone tells. */
export async function childrenOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(all.map((one) => parentOf(one).catch(() => null)));
  return all.filter((_, index) => parents[index] === pid);
}

function kilobytes(text: string, name: string): number {
  const [, amount] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(amount) * 1024;
}
