import { readdir, readFile } from 'node:fs/promises';

/** Returns the resident bytes of a process, shared memory included. Linux only. */
export async function residentBytes(pid: number): Promise<number> {
  return kilobytes(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** Returns the resident bytes of a process and its children, with shared memory counted once. */
export async function residentBytesOfTree(pid: number): Promise<number> {
  const pids = [pid, ...(await childrenOf(pid))];
  const parts = await Promise.all(
    pids.map(async (member) => {
      // The process has just ended.
      const rollup = await readFile(`/proc/${member}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB');
      return kilobytes(rollup, 'Pss');
    }),
  );
  return parts.reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns the parent's process id. */
export async function parentOf(pid: number): Promise<number> {
  const [, parent] = /^PPid:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(parent);
}

/** Returns the process ids of the running children. Linux only. */
export async function childrenOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(all.map((one) => parentOf(one).catch(() => null)));
  return all.filter((_, index) => parents[index] === pid);
}

function kilobytes(text: string, name: string): number {
  const [, amount] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(amount) * 1024;
}
