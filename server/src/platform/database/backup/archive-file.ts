import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** The archive does not fit this database, or it is damaged. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/**
 * Opens a file below `folder`. Throws `RestoreRefused` if it is missing, not a regular file, or reached through a link: an archive
 * could name any file of the machine, or a pipe that never ends.
 */
export async function openArchiveFile(folder: string, path: string): Promise<FileHandle> {
  const root = await realpath(folder);
  const expected = join(root, path);
  const found = await realpath(expected).catch((error: NodeJS.ErrnoException) => {
    throw new RestoreRefused(`${folder} lacks the file ${path} (${error.code})`);
  });
  if (found !== expected || !expected.startsWith(root + sep))
    throw new RestoreRefused(`${path} is a link, or lies outside ${folder}`);
  const file = await open(expected, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new RestoreRefused(`${path} of ${folder} is not a regular file`);
}

/** Reads a small file of an archive. Throws `RestoreRefused`. */
export async function readArchiveFile(folder: string, path: string, maxBytes: number): Promise<string> {
  const file = await openArchiveFile(folder, path);
  try {
    if ((await file.stat()).size > maxBytes)
      throw new RestoreRefused(`${path} of ${folder} has more than ${maxBytes} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
