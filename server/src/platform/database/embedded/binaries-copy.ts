import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ensureOwnDirectory } from './own-directory.ts';

/** Copies the PostgreSQL package for all users. `finish` completes a new copy before its rename. */
export async function copyBinaries(
  packageDirectory: string,
  directory: string,
  finish: (copy: string) => Promise<void>,
): Promise<string> {
  await ensureOwnDirectory(directory, 0o755);
  const fingerprint = await computeFingerprint(packageDirectory);
  const target = join(directory, `postgres-${fingerprint}`);
  if ((await computeFingerprint(target).catch(() => undefined)) === fingerprint) return target;
  const draft = await mkdtemp(join(directory, 'copying-'));
  try {
    await cp(packageDirectory, draft, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    await makeReadableByAll(draft);
    await finish(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another program may have created the same copy in the meantime.
    if ((await computeFingerprint(target).catch(() => undefined)) !== fingerprint) throw error;
  }
  return target;
}

function isNeeded(path: string): boolean {
  return !path.endsWith('.a');
}

/** Hashes names and sizes, because a power cut can leave a copy with empty files. */
async function computeFingerprint(packageDirectory: string): Promise<string> {
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

async function makeReadableByAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || basename(entry.parentPath) === 'bin') await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}
