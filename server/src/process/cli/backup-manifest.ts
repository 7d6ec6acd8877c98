import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { ExportedDatabase } from '../../platform/database/backup/export-database.ts';
import type { FileFormat } from '../../platform/database/backup/file-format.ts';
import { encryptedSuffix } from './backup-encryption.ts';
import type { CopiedFile } from './backup-files.ts';
import { CommandFailed } from './command.ts';
import type { ReferencedFile } from './referenced-files.ts';

/** Describes a complete backup: it is written last. */
export interface BackupManifest {
  format: 1;
  parley: string;
  startedAt: string;
  seconds: number;
  database: ExportedDatabase;
  /** Ids of the encryption keys, the current one first. */
  encryptionKeys: readonly string[];
  files: Record<string, CopiedFile>;
  /** Documents and messages of the database whose file was deleted before it was copied. Earlier backups name no owner. */
  deletedMeanwhile: { owner?: ReferencedFile['owner']; id: string; key: string }[];
}

export const manifestFile = (folder: string): string => join(folder, 'backup.json');

/** The files of DATA_DIR that a backup contains, if they exist. */
export const secretFiles = ['encryption-key', 'first-api-key.json'];

export async function readManifest(folder: string, format: FileFormat): Promise<BackupManifest> {
  const file = `${manifestFile(folder)}${format.suffix}`;
  if (!existsSync(file)) throw new CommandFailed(explainMissing(folder, format));
  const text = await readText(format.convert(createReadStream(file))).catch((error: Error) => {
    throw new CommandFailed(`${file} cannot be read: ${error.message}`);
  });
  const manifest = JSON.parse(text) as BackupManifest;
  if (manifest.format === 1) return manifest;
  throw new CommandFailed(`The backup has format ${manifest.format}, which this Parley cannot read`);
}

function explainMissing(folder: string, { suffix }: FileFormat): string {
  if (suffix === '' && existsSync(`${manifestFile(folder)}${encryptedSuffix}`))
    return 'The backup is encrypted: name the file of its secret key with --identity';
  if (suffix !== '' && existsSync(manifestFile(folder)))
    return 'The backup is not encrypted: leave out --identity';
  return `${folder} holds no complete backup: backup.json is missing`;
}
