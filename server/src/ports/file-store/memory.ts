import { Readable } from 'node:stream';
import { assertFileKey, assertFileKeyPrefix } from './file-key.ts';
import type { FileSource, FileStore } from './file-store.ts';

export function createMemoryFileStore(): FileStore {
  const objects = new Map<string, Uint8Array>();
  return {
    name: 'memory',
    async put(key, source) {
      assertFileKey(key);
      objects.set(key, Uint8Array.from(await readWhole(source)));
    },
    async move(from, to) {
      assertFileKey(from);
      assertFileKey(to);
      const bytes = objects.get(from);
      if (bytes === undefined) {
        if (objects.has(to)) return;
        throw new Error(`Cannot move ${from}: there is no such object`);
      }
      objects.delete(from);
      objects.set(to, bytes);
    },
    async get(key) {
      assertFileKey(key);
      const bytes = objects.get(key);
      return bytes === undefined ? null : Uint8Array.from(bytes);
    },
    async open(key) {
      assertFileKey(key);
      const bytes = objects.get(key);
      return bytes === undefined ? null : { size: bytes.length, stream: Readable.from([Buffer.from(bytes)]) };
    },
    async exists(key) {
      assertFileKey(key);
      return objects.has(key);
    },
    async delete(key) {
      assertFileKey(key);
      objects.delete(key);
    },
    async *list(prefix) {
      assertFileKeyPrefix(prefix);
      for (const key of [...objects.keys()].sort()) {
        if (key.startsWith(prefix)) yield key;
      }
    },
  };
}

async function readWhole(source: FileSource): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source;
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}
