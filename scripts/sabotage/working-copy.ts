import { copyFile, glob, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies lie inside the tree and git ignores them. There, programs find the tree's packages without links: a program that
 * runs under Node's permission model must not read through links.
 */
const prefix = '.sabotage-';
const skipped = new Set(['.git', 'node_modules', 'data', 'coverage']);

/** A copy of the tree that shares the tree's packages. */
export interface WorkingCopy {
  readonly root: string;
  remove(): Promise<void>;
}

/** `fill` puts the sources into the new folder. By default, they are those of the tree. */
export async function createWorkingCopy(
  tree: string,
  fill: (root: string) => Promise<void> = (root) => copyDirectory(tree, root),
): Promise<WorkingCopy> {
  const root = await mkdtemp(join(tree, prefix));
  await fill(root);
  await linkWorkspaces(join(tree, 'node_modules'), join(root, 'node_modules'));
  for await (const modules of glob('packages/*/node_modules', { cwd: tree })) {
    await symlink(join(tree, modules), join(root, modules));
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** The workspace links are relative, so the same links in the copy point to the copy's workspaces. */
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
    if (skipped.has(entry.name) || entry.name.startsWith(prefix)) continue;
    if (entry.isDirectory()) await copyDirectory(source, target);
    else if (entry.isFile()) await copyFile(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
  }
}
