import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensureOwnDirectory } from './own-directory.ts';

/**
 * Copies the PostgreSQL package into `directory`, readable by everyone, and returns the copy.
 *
 * The copy's name carries a fingerprint of the content, so every installation of the same PostgreSQL shares one and an
 * update makes a new one. It is put in its place by a rename and checked before use: a half copy is never run.
 *
 * @param finish completes a fresh copy before it is put in place.
 */
export async function copyBinaries(
  packageDirectory: string,
  directory: string,
  finish: (copy: string) => Promise<void>,
): Promise<string> {
  await ensureOwnDirectory(directory, 0o755);
  const fingerprint = await fingerprintOf(packageDirectory);
  const target = join(directory, `postgres-${fingerprint}`);
  if ((await fingerprintOf(target).catch(() => undefined)) === fingerprint) return target;
  const draft = await mkdtemp(join(directory, 'copying-'));
  try {
    await cp(packageDirectory, draft, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    await openToEveryone(draft);
    await finish(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another program may have put the same copy in place meanwhile.
    if ((await fingerprintOf(target).catch(() => undefined)) !== fingerprint) throw error;
  }
  return target;
}

/** Static libraries are for building against PostgreSQL, not for running it. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a');
}

/** Names and sizes of all files: tells versions apart, and a whole copy from one a power cut left with empty files. */
async function fingerprintOf(packageDirectory: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(packageDirectory, 'package.json')));
  const entries = await readdir(join(packageDirectory, 'native'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isNeeded(entry.name));
  const sizes = files.map(async (file) => {
    const path = join(file.parentPath, file.name);
    return `${path.slice(packageDirectory.length)} ${(await stat(path)).size}`;
  });
  for (const line of (await Promise.all(sizes)).sort()) hash.update(`${line}\n`);
  return hash.digest('hex').slice(0, 16);
}

async function openToEveryone(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || basename(entry.parentPath) === 'bin') await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}
