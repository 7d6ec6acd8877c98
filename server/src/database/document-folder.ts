import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readLine, readOrCreateLine } from '../shared/durable-files.ts';
import type { Database } from './database.ts';
import { keepDocumentFolder, readDocumentFolder } from './installation.queries.ts';

/** The documents under DATA_DIR belong to another database than this program's. */
class DataDirectoryTaken extends Error {
  override readonly name = 'DataDirectoryTaken';
}

/** The documents of this program's database are not under its DATA_DIR. */
class DocumentsElsewhere extends Error {
  override readonly name = 'DocumentsElsewhere';
}

/** An identity file in DATA_DIR is empty, for example after an interrupted copy. */
class IdentityEmpty extends Error {
  override readonly name = 'IdentityEmpty';
}

/**
 * Makes `dataDir` the only folder of this database's documents. Throws when it belongs to another database: each would
 * delete the other's files as orphans. Throws when this database's documents are elsewhere. `installation-id` in the folder
 * names its database; `document-folder-id` is the id that the database stores, so the folder can be moved. Writes nothing
 * into a folder that is known to be wrong. A copy of a database needs its own copy of the folder.
 */
export async function claimDocumentFolder(options: {
  db: Database;
  dataDir: string;
  installationId: string;
}): Promise<void> {
  const { db, dataDir, installationId } = options;
  const [owner, identity] = [join(dataDir, 'installation-id'), join(dataDir, 'document-folder-id')];
  // Read this before the folder's files: another program may be claiming the folder now.
  const remembered = await readDocumentFolder(db);
  if (remembered !== null && remembered !== (await readLine(identity))) throw elsewhere(dataDir);
  const ownedBy = await identityIn(owner, installationId, 'if no other database has its documents here, ');
  if (ownedBy !== installationId) throw taken(dataDir, owner);
  const own = await identityIn(identity, randomUUID(), '');
  if ((await keepDocumentFolder(db, own)) !== own) throw elsewhere(dataDir);
}

const taken = (dataDir: string, owner: string): Error =>
  new DataDirectoryTaken(
    `DATA_DIR (${dataDir}) holds the documents of another database. Choose another DATA_DIR. If that database no longer ` +
      `exists, remove ${owner}.`,
  );

const elsewhere = (dataDir: string): Error =>
  new DocumentsElsewhere(
    `DATA_DIR (${dataDir}) is not where this database's documents are. Set the DATA_DIR of every api and worker to the ` +
      'folder that has them. If that folder is lost, or its files were moved here, stop every api and worker, run this ' +
      'statement in the database and start again: update installation set document_folder = null;',
  );

/** Works like `agreedLine` for a file that must not be empty. */
async function identityIn(path: string, identity: string, whenEmpty: string): Promise<string> {
  const agreed = await readOrCreateLine(path, identity);
  if (agreed === '') throw new IdentityEmpty(`${path} is empty: ${whenEmpty}remove it and start again.`);
  return agreed;
}
