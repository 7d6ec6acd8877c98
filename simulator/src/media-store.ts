import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Stores media under the hash of their content. */
export interface MediaStore {
  /** Returns the name once the bytes are durable. */
  put(bytes: Buffer): Promise<string>;
  get(name: string): Promise<Buffer>;
}

/** Stores media as files in `directory`, or in memory when it is null. */
export async function openMediaStore(directory: string | null): Promise<MediaStore> {
  if (directory === null) return memoryMediaStore();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    async put(bytes) {
      const name = contentName(bytes);
      const path = join(directory, name);
      if (await exists(path)) return name;
      const staged = `${path}.${randomUUID()}`;
      try {
        await writeDurably(staged, bytes);
      } catch (error) {
        // Otherwise each retry on a full disk would leave another file.
        await rm(staged, { force: true });
        throw error;
      }
      await rename(staged, path);
      return name;
    },
    get: (name) => readFile(join(directory, name)),
  };
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function memoryMediaStore(): MediaStore {
  const kept = new Map<string, Buffer>();
  return {
    async put(bytes) {
      const name = contentName(bytes);
      kept.set(name, bytes);
      return name;
    },
    async get(name) {
      const bytes = kept.get(name);
      if (!bytes) throw new Error(`no media named ${name}`);
      return bytes;
    },
  };
}

function contentName(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
