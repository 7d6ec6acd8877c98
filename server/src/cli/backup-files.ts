import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDurably } from '../shared/durable-files.ts';
import { CommandFailed } from './command.ts';

export async function copyFileTo(
  path: string,
  bytes: Uint8Array,
): Promise<{ bytes: number; sha256: string }> {
  await mkdir(dirname(path), { recursive: true });
  await writeDurably(path, bytes);
  return { bytes: bytes.length, sha256: hash(bytes) };
}

/** Returns the file with this key of the file store from a backup. Throws `CommandFailed` if it is damaged. */
export async function readCopiedFile(
  folder: string,
  key: string,
  { sha256 }: { sha256: string },
): Promise<Uint8Array> {
  const bytes = await readFile(join(folder, 'files', key));
  if (hash(bytes) === sha256) return bytes;
  throw new CommandFailed(`files/${key} of ${folder} is damaged: it has another checksum`);
}

/** Returns a size for people, like `3.4 MiB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
