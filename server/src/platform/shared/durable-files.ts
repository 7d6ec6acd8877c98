import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

export async function writeDurably(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function readLine(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Concurrent callers get the same line. It survives crashes and power cuts, and is never partial. */
export async function readOrCreateLine(path: string, line: string): Promise<string> {
  if ((await readLine(path)) === null) await writeLineOnce(path, line);
  await syncDirectory(dirname(path));
  const current = await readLine(path);
  if (current === null) throw new Error(`${path} was removed while it was being read`);
  return current;
}

async function writeLineOnce(path: string, line: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${line}\n`, { mode: 0o600, flush: true });
    // Unlike a rename, a link never replaces a file.
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Makes renames and removals survive a power cut. Ignores a missing directory. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  try {
    await directory?.sync();
  } finally {
    await directory?.close();
  }
}

export async function makeDirectory(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = path; made.length >= firstMade.length; made = dirname(made))
    await syncDirectory(dirname(made));
}

export async function removeEmptyDirectories(path: string, root: string): Promise<void> {
  for (let directory = path; relative(root, directory) !== ''; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return;
      if (!isMissing(error)) throw error;
    }
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
