import { copyFile, glob, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Names a copy, which git ignores. It is made inside the tree, where its programs find the tree's packages by themselves:
 * those that run under permissions may not read what only a link leads to.
 */
const prefix = '.sabotage-';
/** History, packages, and what runs have left. */
const leftOut = new Set(['.git', 'node_modules', 'data', 'coverage']);

/** A copy of the tree for somebody to break; its packages are the tree's own. */
export interface WorkingCopy {
  readonly root: string;
  remove(): Promise<void>;
}

export async function createWorkingCopy(tree: string): Promise<WorkingCopy> {
  const root = await mkdtemp(join(tree, prefix));
  await copyDirectory(tree, root);
  await linkWorkspaces(join(tree, 'node_modules'), join(root, 'node_modules'));
  for await (const installedApart of glob('packages/*/node_modules', { cwd: tree })) {
    await symlink(join(tree, installedApart), join(root, installedApart));
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Their links are relative: made anew as they are, they lead to the copy's own, which go before the tree's. */
async function linkWorkspaces(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith('@')) await linkWorkspaces(source, target);
    if (!entry.isSymbolicLink()) continue;
    await mkdir(to, { recursive: true });
    await symlink(await readlink(source), target);
  }
}

async function copyDirectory(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.has(entry.name) || entry.name.startsWith(prefix)) continue;
    if (entry.isDirectory()) await copyDirectory(source, target);
    else if (entry.isFile()) await copyFile(source, target);
  }
}
