import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFileStore } from '../adapters/file-store/create-file-store.ts';
import { exportDatabase } from '../database/backup/export-database.ts';
import { readSnapshot } from '../database/backup/snapshot.ts';
import type { Database } from '../database/database.ts';
import { type DocumentFile, selectDocumentFiles } from '../documents/documents.sql.ts';
import { writeDurably } from '../shared/durable-files.ts';
import { version } from '../version.ts';
import { copyFileTo, formatBytes } from './backup-files.ts';
import { type BackupManifest, manifestFile, secretFiles } from './backup-manifest.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { type Deployment, withDatabase } from './open-deployment.ts';

/** Writes a backup of a running or stopped deployment to a new folder. */
export async function backUp(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new CommandFailed(`${folder} is not empty: name a new folder`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await withDatabase(input, async (deployment) => {
    const started = performance.now();
    const startedAt = new Date().toISOString();
    let documents: DocumentFile[] = [];
    // Rows first: the file of a document exists before its row is committed.
    const database = await exportDatabase(
      deployment.databaseUrl,
      join(folder, 'database'),
      async (snapshot) => {
        documents = await readSnapshot(deployment.db, snapshot, selectDocumentFiles);
      },
    );
    const files = await copyFiles(deployment.config, folder);
    const deletedMeanwhile = await findDeleted(
      deployment.db,
      documents.filter(({ key }) => files[key] === undefined),
    );
    for (const name of secretFiles)
      await copyIfPresent(join(deployment.config.DATA_DIR, name), join(folder, name));
    const manifest: BackupManifest = {
      format: 1,
      parley: version,
      startedAt,
      seconds: (performance.now() - started) / 1000,
      database,
      encryptionKeys: deployment.encryption.keyIds,
      files,
      deletedMeanwhile,
    };
    await writeDurably(manifestFile(folder), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    describeBackup(input, manifest);
  });
  if (!existsSync(join(folder, 'encryption-key')))
    input.print('ENCRYPTION_KEY is not in the backup: keep a copy of it elsewhere.');
  return 0;
}

function describeBackup(
  { print }: CommandInput,
  { database, files, deletedMeanwhile, seconds }: BackupManifest,
): void {
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
  const rowBytes = database.tables.reduce((sum, table) => sum + table.bytes, 0);
  const fileBytes = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
  print(`database: ${rows} rows in ${database.tables.length} tables, ${formatBytes(rowBytes)}`);
  print(`files: ${Object.keys(files).length}, ${formatBytes(fileBytes)}`);
  for (const { id } of deletedMeanwhile) print(`document ${id} was deleted while its file was to be copied`);
  print(`took ${seconds.toFixed(1)} s`);
}

async function copyFiles(config: Deployment['config'], folder: string): Promise<BackupManifest['files']> {
  const source = createFileStore({ fileStore: config.FILE_STORE, dataDir: config.DATA_DIR });
  const files: BackupManifest['files'] = {};
  for await (const key of source.list('')) {
    const bytes = await source.get(key);
    if (bytes !== null) files[key] = await copyFileTo(join(folder, 'files', key), bytes);
  }
  return files;
}

/** Throws if a document without a file still exists, because its file is lost. */
async function findDeleted(
  db: Database,
  missing: readonly DocumentFile[],
): Promise<BackupManifest['deletedMeanwhile']> {
  const current = new Set(missing.length === 0 ? [] : (await selectDocumentFiles(db)).map(({ id }) => id));
  const lost = missing.filter(({ id }) => current.has(id));
  if (lost.length > 0)
    throw new CommandFailed(
      `The file store lacks the files of ${lost.length} documents, like ${lost[0]?.key}: check DATA_DIR and FILE_STORE`,
    );
  return missing.map(({ id, key }) => ({ id, key }));
}

const copyIfPresent = (from: string, to: string): Promise<void> =>
  copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
