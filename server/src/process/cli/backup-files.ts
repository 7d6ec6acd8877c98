import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openArchiveFile } from '../../platform/database/backup/archive-file.ts';
import { plainFiles } from '../../platform/database/backup/file-format.ts';
import { writeDurably } from '../../platform/shared/durable-files.ts';
import { isFileKey } from '../../ports/file-store/file-key.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { CommandFailed } from './command.ts';

/** Throws `CommandFailed` if the folder has files. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new CommandFailed(`${folder} is not empty: name a new folder`);
}

/** Creates the folder if needed, and closes it to other users. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

export interface CopiedFile {
  bytes: number;
  sha256: string;
}

/** Copies a file of the store to `folder`. Returns null if the store lacks it. */
export async function copyStoredFile(
  source: Pick<FileStore, 'open'>,
  key: string,
  folder: string,
  format = plainFiles,
): Promise<CopiedFile | null> {
  const opened = await source.open(key);
  if (opened === null) return null;
  const path = join(folder, 'files', key + format.suffix);
  await mkdir(dirname(path), { recursive: true });
  const { content, result } = digested(opened.stream);
  await writeDurably(path, format.convert(content));
  return result();
}

/** Returns the content of a copied file. It fails with `CommandFailed` at its end if the file is damaged. */
export async function* readCopiedFile(
  folder: string,
  key: string,
  { sha256 }: Pick<CopiedFile, 'sha256'>,
  format = plainFiles,
): AsyncGenerator<Uint8Array> {
  if (!isFileKey(key)) throw new CommandFailed(`${folder} names a file that no file store has: ${key}`);
  const file = await openArchiveFile(folder, join('files', key + format.suffix));
  const { content, result } = digested(format.convert(file.createReadStream()));
  yield* content;
  if (result().sha256 !== sha256)
    throw new CommandFailed(`files/${key} of ${folder} is damaged: it has another checksum`);
}

/** Throws `CommandFailed` if the copied file is damaged. */
export async function checkCopiedFile(...file: Parameters<typeof readCopiedFile>): Promise<void> {
  for await (const _part of readCopiedFile(...file));
}

/** Hashes a stream while it is read. */
function digested(stream: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* read() {
    for await (const part of stream) {
      hash.update(part);
      bytes += part.length;
      yield part;
    }
  }
  return { content: read(), result: (): CopiedFile => ({ bytes, sha256: hash.digest('hex') }) };
}

/** Returns a size for people, like `3.4 MiB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
