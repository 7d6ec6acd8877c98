import { execFile } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';

/** The machine and the commit of a measurement. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  /** Short hash, with `+` if measured files differ from it. */
  commit: string;
  /** UTC date. */
  date: string;
}

const run = promisify(execFile);

/** The product and the benchmarks. Fresh results do not count as a change. */
const measured = [':/server', ':/simulator', ':/bench', ':(top,exclude)bench/results'];

export async function describeMachine(): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    commit: await readCommit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

async function readCommit(): Promise<string> {
  const cwd = import.meta.dirname;
  try {
    const { stdout: hash } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd });
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--', ...measured], { cwd });
    return `${hash.trim()}${changes.trim() === '' ? '' : '+'}`;
  } catch {
    return 'unknown (not a git checkout)';
  }
}
