import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createWorkingCopy } from '../../../scripts/sabotage/working-copy.ts';

const root = join(import.meta.dirname, '../../..');

interface Release {
  version: string;
  commit: string;
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });

/** Returns the newest commit that `npm run release` made, or null if there is no history that contains one. */
export function findRelease(): Release | null {
  if (!existsSync(join(root, '.git'))) return null;
  const found = /^(\w+) Release (\d+\.\d+\.\d+)$/m.exec(git('log', '--format=%H %s'));
  return found === null ? null : { commit: found[1] ?? '', version: found[2] ?? '' };
}

/** Returns a folder with the released sources and the packages of its lock file. Removed after the tests. */
export async function checkOutRelease({ commit }: Release): Promise<string> {
  const copy = await createWorkingCopy(root, async (folder) => {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 256 * 1024 ** 2 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  });
  after(() => copy.remove());
  // In a working copy, programs find the packages of this tree.
  const [released, current] = await Promise.all([copy.root, root].map(readPackages));
  if (!isDeepStrictEqual(released, current))
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: copy.root, stdio: 'ignore' });
  return copy.root;
}

async function readPackages(folder: string): Promise<unknown> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
}
