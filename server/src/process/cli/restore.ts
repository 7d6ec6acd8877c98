import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileFormat } from '../../platform/database/backup/file-format.ts';
import { importDatabase, requireEmptyDatabase } from '../../platform/database/backup/import-database.ts';
import { connectDatabase } from '../../platform/database/database.ts';
import type { DocumentPlace } from '../../platform/database/document-folder.ts';
import { hasCluster } from '../../platform/database/embedded/cluster.ts';
import { startEmbeddedServer } from '../../platform/database/embedded/embedded-server.ts';
import { migrate } from '../../platform/database/migrator.ts';
import { installJobSchema } from '../../platform/jobs/job-schema.ts';
import { openDataDirectory } from '../../platform/shared/data-directory.ts';
import { createEncryption } from '../../platform/shared/encryption.ts';
import { readEncryptionKeys } from '../../platform/shared/encryption-key.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { createFileStore } from '../../ports/file-store/create-file-store.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { Config } from '../config.ts';
import { findDocumentPlace } from '../document-place.ts';
import { openEncryptionKeys } from '../encryption-keys.ts';
import { formatForIdentity } from './backup-encryption.ts';
import { formatBytes, readCopiedFile } from './backup-files.ts';
import { type BackupManifest, readManifest, secretFiles } from './backup-manifest.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { readWholeConfig } from './open-deployment.ts';
import { selectReferencedFiles } from './referenced-files.ts';

const logger = createLogger('warn');

/** Fills an empty deployment with a backup. Returns 1 if a document or a message lacks its file. */
export async function restore(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  // The option is a string by its declaration.
  const format = await formatForIdentity(input.values['identity'] as string | undefined);
  const manifest = await readManifest(folder, format);
  const config = readWholeConfig(input.environment);
  const started = performance.now();
  const fileStore = createFileStore(config);
  await requireEmpty(config, fileStore);
  await openDataDirectory(config.DATA_DIR, logger);
  for (const name of secretFiles) await restoreSecret(config, { folder, name, format });
  const { databaseUrl, release } = await openNewDatabase(config, manifest);
  try {
    await requireEmptyDatabase(databaseUrl);
    for (const [key, file] of Object.entries(manifest.files))
      await fileStore.put(key, readCopiedFile(folder, key, file, format));
    // Later migrations run at the next start, on the restored rows.
    await migrate(databaseUrl, { upTo: Math.max(...manifest.database.migrations) });
    await installJobSchema(databaseUrl, logger);
    await importDatabase(databaseUrl, manifest.database, join(folder, 'database'), format);
    await claimPlace(findDocumentPlace(config, fileStore), manifest);
    const lost = await findLostFiles(databaseUrl, fileStore, manifest);
    describeRestore(input, manifest, (performance.now() - started) / 1000);
    for (const key of lost) input.print(`a file is missing or has another size: ${key}`);
    return lost.length === 0 ? 0 : 1;
  } finally {
    await release();
  }
}

async function requireEmpty(
  { DATA_DIR: dataDir, DATABASE_URL: url }: Config,
  fileStore: FileStore,
): Promise<void> {
  if (url === null && (await hasCluster(dataDir)))
    throw new CommandFailed(`There is a database in ${dataDir}: name an empty DATA_DIR`);
  for await (const key of fileStore.list(''))
    throw new CommandFailed(
      `The file store (${fileStore.name}) is not empty, it has ${key}: name an empty one`,
    );
}

/** The keys of the environment take precedence, as at a start. */
async function restoreSecret(
  { ENCRYPTION_KEY: given, DATA_DIR: dataDir }: Config,
  { folder, name, format }: { folder: string; name: string; format: FileFormat },
): Promise<void> {
  const from = join(folder, name + format.suffix);
  if ((given !== null && name === 'encryption-key') || !existsSync(from)) return;
  const to = join(dataDir, name);
  await pipeline(createReadStream(from), format.convert, createWriteStream(to, { mode: 0o600, flush: true }));
}

async function openNewDatabase(
  config: Config,
  { encryptionKeys: needed }: BackupManifest,
): Promise<{ databaseUrl: string; release(): Promise<void> }> {
  // Otherwise `openEncryptionKeys` would create a key.
  if (config.ENCRYPTION_KEY === null && (await readEncryptionKeys(config.DATA_DIR)) === null)
    throw new CommandFailed(`The backup has no encryption key: set ENCRYPTION_KEY to the key ${needed[0]}`);
  const { encryptionKeys, keySource } = await openEncryptionKeys(config);
  const encryption = createEncryption(...encryptionKeys);
  if (!encryption.keyIds.includes(needed[0] ?? ''))
    throw new CommandFailed(
      `${keySource} is not the key of the backup: set ENCRYPTION_KEY to the key ${needed[0]}`,
    );
  if (config.DATABASE_URL !== null)
    return { databaseUrl: config.DATABASE_URL, release: async () => undefined };
  const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, encryption, logger });
  return { databaseUrl: server.url, release: server.release };
}

/** The database refuses a place without these names. */
async function claimPlace(place: DocumentPlace, { database }: BackupManifest): Promise<void> {
  await place.readOrCreateLine('installation-id', database.installationId);
  if (database.documentFolder !== null)
    await place.readOrCreateLine('document-folder-id', database.documentFolder);
}

/** Documents and messages that were deleted during the backup are expected to lack their files. */
async function findLostFiles(
  databaseUrl: string,
  fileStore: FileStore,
  { deletedMeanwhile }: BackupManifest,
): Promise<string[]> {
  const { db, close } = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'parley restore',
    logger,
  });
  try {
    const expected = new Set(deletedMeanwhile.map(({ key }) => key));
    const lost: string[] = [];
    for (const { key, size } of await selectReferencedFiles(db)) {
      if (expected.has(key)) continue;
      const opened = await fileStore.open(key);
      opened?.stream.destroy();
      if (opened?.size !== size) lost.push(key);
    }
    return lost;
  } finally {
    await close();
  }
}

function describeRestore(
  { print }: CommandInput,
  { database, files, deletedMeanwhile }: BackupManifest,
  seconds: number,
) {
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0);
  const fileBytes = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
  print(
    `restored ${rows} rows and ${Object.keys(files).length} files (${formatBytes(fileBytes)}) in ${seconds.toFixed(1)} s`,
  );
  for (const { owner = 'document', id } of deletedMeanwhile)
    print(`${owner} ${id} has no file: it was deleted during the backup`);
}
