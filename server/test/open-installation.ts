import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** An ordinary user's account that every Linux has. */
export const ordinary = { uid: 65_534, gid: 65_534 };

interface Installation {
  /** The folder with `server` and `node_modules`. */
  root: string;
  /** The program `node`. */
  node: string;
}

/** Development tools and results: the service runs without them. */
const unneeded = new Set([
  '.git',
  '@biomejs',
  '@typescript',
  'bench',
  'data',
  'docs',
  'playwright-core',
  'typescript',
]);

/**
 * Returns an installation that every user can run. That is this one or, where its folder is closed to other users (as
 * below root's home), a temporary copy.
 */
export async function openInstallation(): Promise<Installation> {
  const installed = { root: join(import.meta.dirname, '../..'), node: process.execPath };
  if (process.getuid?.() !== 0 || canRun(installed)) return installed;
  const root = await mkdtemp(join(tmpdir(), 'parley-installation-'));
  after(() => rm(root, { recursive: true, force: true }));
  copyForEveryone(installed.root, root);
  const node = join(root, 'node');
  copyFile(installed.node, node, 0o755);
  return { root, node };
}

function canRun({ root, node }: Installation): boolean {
  try {
    const options = { ...ordinary, cwd: '/', stdio: 'ignore' } as const;
    execFileSync(node, ['--check', join(root, 'server/src/main.ts')], options);
    return true;
  } catch {
    return false;
  }
}

function copyForEveryone(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (unneeded.has(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) copyForEveryone(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (entry.isFile()) copyFile(from, to, (statSync(from).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Links the file if it has the mode and is on the same file system. Otherwise copies it. */
function copyFile(from: string, to: string, mode: number): void {
  try {
    if ((statSync(from).mode & mode) !== mode) throw new Error('the file is closed to other users');
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    chmodSync(to, mode);
  }
}
