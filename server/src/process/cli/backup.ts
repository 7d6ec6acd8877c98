import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { exportDatabase } from '../../platform/database/backup/export-database.ts';
import type { FileFormat } from '../../platform/database/backup/file-format.ts';
import { readSnapshot } from '../../platform/database/backup/snapshot.ts';
import type { Database } from '../../platform/database/database.ts';
import { readLine, writeDurably } from '../../platform/shared/durable-files.ts';
import { version } from '../../platform/shared/version.ts';
import { createFileStore } from '../../ports/file-store/create-file-store.ts';
import { formatForRecipient } from './backup-encryption.ts';
import { copyStoredFile, formatBytes, makePrivateFolder, requireEmptyFolder } from './backup-files.ts';
import { type BackupManifest, manifestFile, secretFiles } from './backup-manifest.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { type Deployment, withDatabase } from './open-deployment.ts';
import { type ReferencedFile, selectReferencedFiles } from './referenced-files.ts';

/** Writes a backup of a running or stopped deployment to a new folder. */
export async function backUp(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  // Each option is a string by its declaration.
  const format = formatForRecipient(input.values['recipient'] as string | undefined);
  const copied = input.values['without-keys'] === true ? [] : secretFiles;
  await requireEmptyFolder(folder);
  await makePrivateFolder(folder);
  await withDatabase(input, async (deployment) => {
    const started = performance.now();
    const startedAt = new Date().toISOString();
    let referenced: ReferencedFile[] = [];
    // Rows first: a file exists before the row that refers to it is committed.
    const database = await exportDatabase(
      deployment.databaseUrl,
      join(folder, 'database'),
      async (snapshot) => {
        referenced = await readSnapshot(deployment.db, snapshot, (tx) => selectReferencedFiles(tx));
      },
      format,
    );
    const files = await copyFiles(deployment.config, folder, format);
    const deletedMeanwhile = await findDeleted(
      deployment.db,
      referenced.filter(({ key }) => files[key] === undefined),
    );
    for (const name of copied) await copyIfPresent(deployment.config.DATA_DIR, name, folder, format);
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
    const described = Readable.from([Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
    await writeDurably(`${manifestFile(folder)}${format.suffix}`, format.convert(described));
    describeBackup(input, manifest);
  });
  if (!existsSync(join(folder, `encryption-key${format.suffix}`)))
    input.print('The encryption key is not in the backup: keep a copy of it elsewhere.');
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
  for (const { owner = 'document', id } of deletedMeanwhile)
    print(`${owner} ${id} was deleted while its file was to be copied`);
  print(`took ${seconds.toFixed(1)} s`);
}

async function copyFiles(
  config: Deployment['config'],
  folder: string,
  format: FileFormat,
): Promise<BackupManifest['files']> {
  const source = createFileStore(config);
  const files: BackupManifest['files'] = {};
  for await (const key of source.list('')) {
    // A bucket also has files that name its owner. A restore writes them again.
    const copied = key.includes('/') ? await copyStoredFile(source, key, folder, format) : null;
    if (copied !== null) files[key] = copied;
  }
  return files;
}

/** Throws if a document or message without its file still exists, because the file is lost. */
async function findDeleted(
  db: Database,
  missing: readonly ReferencedFile[],
): Promise<BackupManifest['deletedMeanwhile']> {
  const current = new Set(missing.length === 0 ? [] : (await selectReferencedFiles(db)).map(({ id }) => id));
  const lost = missing.filter(({ id }) => current.has(id));
  if (lost.length > 0)
    throw new CommandFailed(
      `The file store lacks ${lost.length} files, like ${lost[0]?.key}: check DATA_DIR and FILE_STORE`,
    );
  return missing.map(({ owner, id, key }) => ({ owner, id, key }));
}

async function copyIfPresent(
  dataDir: string,
  name: string,
  folder: string,
  { suffix, convert }: FileFormat,
): Promise<void> {
  const content = await readLine(join(dataDir, name));
  if (content === null) return;
  await writeDurably(join(folder, name + suffix), convert(Readable.from([Buffer.from(`${content}\n`)])));
}
