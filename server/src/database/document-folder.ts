import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readLine, readOrCreateLine } from '../shared/durable-files.ts';
import type { Database } from './database.ts';
import { readDocumentFolder, storeDocumentFolder } from './installation.queries.ts';

class DataDirectoryTaken extends Error {
  override readonly name = 'DataDirectoryTaken';
}

class DocumentsElsewhere extends Error {
  override readonly name = 'DocumentsElsewhere';
}

class IdentityEmpty extends Error {
  override readonly name = 'IdentityEmpty';
}

/** Throws when `dataDir` or `db` belongs to another installation, which would delete these files as orphans. */
export async function claimDocumentFolder(options: {
  db: Database;
  dataDir: string;
  installationId: string;
}): Promise<void> {
  const { db, dataDir, installationId } = options;
  const [owner, identity] = [join(dataDir, 'installation-id'), join(dataDir, 'document-folder-id')];
  // Read this before the folder's files: another program may be claiming the folder now.
  const remembered = await readDocumentFolder(db);
  if (remembered !== null && remembered !== (await readLine(identity))) throw createElsewhereError(dataDir);
  const ownedBy = await readOrCreateIdentity(
    owner,
    installationId,
    'if no other database has its documents here, ',
  );
  if (ownedBy !== installationId) throw createTakenError(dataDir, owner);
  const own = await readOrCreateIdentity(identity, randomUUID(), '');
  if ((await storeDocumentFolder(db, own)) !== own) throw createElsewhereError(dataDir);
}

const createTakenError = (dataDir: string, owner: string): Error =>
  new DataDirectoryTaken(
    `DATA_DIR (${dataDir}) holds the documents of another database. Choose another DATA_DIR. If that database no longer ` +
      `exists, remove ${owner}.`,
  );

const createElsewhereError = (dataDir: string): Error =>
  new DocumentsElsewhere(
    `DATA_DIR (${dataDir}) is not where this database's documents are. Set the DATA_DIR of every api and worker to the ` +
      'folder that has them. If that folder is lost, or its files were moved here, stop every api and worker, run this ' +
      'statement in the database and start again: update installation set document_folder = null;',
  );

async function readOrCreateIdentity(path: string, identity: string, whenEmpty: string): Promise<string> {
  const agreed = await readOrCreateLine(path, identity);
  if (agreed === '') throw new IdentityEmpty(`${path} is empty: ${whenEmpty}remove it and start again.`);
  return agreed;
}
