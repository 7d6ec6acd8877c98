import { copyFile, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What no test reads: history, and what runs have left. */
const leftOut = new Set(['.git', 'data', 'coverage']);

/** A copy of the tree for somebody to break; its packages are the tree's own. */
export interface WorkingCopy {
  readonly root: string;
  remove(): Promise<void>;
}

export async function createWorkingCopy(tree: string): Promise<WorkingCopy> {
  const root = await mkdtemp(join(tmpdir(), 'parley-sabotage-'));
  await copyDirectory(tree, root);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

async function copyDirectory(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.has(entry.name)) continue;
    if (entry.name === 'node_modules') await linkPackages(source, target);
    else if (entry.isDirectory()) await copyDirectory(source, target);
    else if (entry.isFile()) await copyFile(source, target);
  }
}

/** Links to workspaces are relative: made anew as they are, they lead to the copy's own. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name.startsWith('@')) await linkPackages(source, target);
    else await symlink(source, target);
  }
}
