import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  isMissing,
  makeDirectory,
  removeEmptyDirectories,
  syncDirectory,
  writeDurably,
} from '../../platform/shared/durable-files.ts';
import { assertFileKey, assertFileKeyPrefix } from './file-key.ts';
import type { FileSource, FileStore, OpenFile } from './file-store.ts';

/** Not a valid key segment, so it cannot collide with an object. */
const incomingDirectory = '~incoming';
/** Longer than any write takes. A crash left older files behind. */
const abandonedAfterMs = 60 * 60 * 1000;
/** A concurrent deletion may remove the emptied target directory before the rename. */
const maxRenameAttempts = 5;

/** Several processes may share the directory. Listing also deletes files left by crashed writes. */
export function createLocalFileStore({ root }: { root: string }): FileStore {
  const incoming = join(root, incomingDirectory);
  const toPath = (key: string): string => {
    assertFileKey(key);
    return join(root, key);
  };

  return {
    name: 'local',
    async put(key, source) {
      await writeAtomically(incoming, toPath(key), source);
    },
    async move(from, to) {
      const source = toPath(from);
      const target = toPath(to);
      if (!(await isFile(source))) {
        if (await isFile(target)) return;
        throw new Error(`Cannot move ${from}: there is no such object`);
      }
      await moveIntoPlace(source, target);
      await syncAndPruneFolders(source, root);
    },
    async get(key) {
      const path = toPath(key);
      return (await isFile(path)) ? nullIfMissing(readFile(path)) : null;
    },
    async open(key) {
      return openFile(toPath(key));
    },
    async exists(key) {
      return isFile(toPath(key));
    },
    async delete(key) {
      const path = toPath(key);
      if (!(await isFile(path))) return;
      await rm(path, { force: true });
      await syncAndPruneFolders(path, root);
    },
    async *list(prefix) {
      assertFileKeyPrefix(prefix);
      await deleteAbandonedWrites(incoming);
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      for await (const key of listKeys(root, folder)) {
        if (key.startsWith(prefix)) yield key;
      }
    },
  };
}

async function openFile(path: string): Promise<OpenFile | null> {
  const file = await nullIfMissing(open(path, 'r'));
  if (file === null) return null;
  const found = await file.stat();
  if (found.isFile()) return { size: found.size, stream: file.createReadStream() };
  await file.close();
  return null;
}

async function writeAtomically(incoming: string, target: string, source: FileSource): Promise<void> {
  const temporary = join(incoming, randomUUID());
  await makeDirectory(incoming);
  try {
    await writeDurably(temporary, source);
    await moveIntoPlace(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function syncAndPruneFolders(path: string, root: string): Promise<void> {
  await syncDirectory(dirname(path));
  await removeEmptyDirectories(dirname(path), root);
}

/** Renames a file and flushes the directory, so that the rename survives a power failure. */
async function moveIntoPlace(source: string, target: string): Promise<void> {
  const directory = dirname(target);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeDirectory(directory);
      await rename(source, target);
      break;
    } catch (error) {
      if (!isMissing(error) || attempt === maxRenameAttempts) throw error;
    }
  }
  await syncDirectory(directory);
}

async function* listKeys(root: string, folder: string): AsyncIterable<string> {
  const entries = (await nullIfMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (folder === '' && entry.name === incomingDirectory) continue;
    if (entry.isDirectory()) yield* listKeys(root, `${folder}${entry.name}/`);
    else if (entry.isFile()) yield `${folder}${entry.name}`;
  }
}

async function deleteAbandonedWrites(incoming: string): Promise<void> {
  const oldest = Date.now() - abandonedAfterMs;
  for (const name of (await nullIfMissing(readdir(incoming))) ?? []) {
    const path = join(incoming, name);
    const found = await nullIfMissing(stat(path));
    if (found !== null && found.mtimeMs < oldest) await rm(path, { force: true });
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await nullIfMissing(stat(path)))?.isFile() ?? false;
}

async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
