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

/** A file that says whose a folder is, or which, says nothing, as after a copy that was broken off. */
class IdentityEmpty extends Error {
  override readonly name = 'IdentityEmpty';
}

/**
 * Makes `dataDir` the one folder of this database's documents. Refuses it when it is another database's, whose files
 * would be removed as ones that nothing names, and when this database has another folder, whose documents would be missed.
 * `installation-id` in the folder says whose it is, `document-folder-id` how the database remembers it, wherever it is
 * moved. Programs that start at once agree; nothing is written here into a folder that is known to be the wrong one. A copy
 * of a database cannot be told from it, and needs a copy of the folder.
 */
export async function claimDocumentFolder(options: {
  db: Database;
  dataDir: string;
  installationId: string;
}): Promise<void> {
  const { db, dataDir, installationId } = options;
  const [owner, identity] = [join(dataDir, 'installation-id'), join(dataDir, 'document-folder-id')];
  // Before the folder's own, which is there when the database knows it: others may be claiming it now.
  const remembered = await readDocumentFolder(db);
  if (remembered !== null && remembered !== (await readLine(identity))) throw elsewhere(dataDir);
  const ownedBy = await identityIn(owner, installationId, 'when no other database has its documents here, ');
  if (ownedBy !== installationId) throw taken(dataDir, owner);
  const own = await identityIn(identity, randomUUID(), '');
  if ((await keepDocumentFolder(db, own)) !== own) throw elsewhere(dataDir);
}

const taken = (dataDir: string, owner: string): Error =>
  new DataDirectoryTaken(
    `DATA_DIR (${dataDir}) holds the documents of another database: choose another DATA_DIR, or, when that database is ` +
      `gone for good, remove ${owner}.`,
  );

const elsewhere = (dataDir: string): Error =>
  new DocumentsElsewhere(
    `DATA_DIR (${dataDir}) is not where this database's documents are: they are in another folder, which every api and ` +
      'worker must have as its DATA_DIR. When that folder is lost for good, or its files were moved into this one, ' +
      'stop every api and worker, forget it by this statement in the database and start again: ' +
      'update installation set document_folder = null;',
  );

/** As `agreedLine`, of a file that has to say something. */
async function identityIn(path: string, identity: string, whenEmpty: string): Promise<string> {
  const agreed = await readOrCreateLine(path, identity);
  if (agreed === '') throw new IdentityEmpty(`${path} is empty: ${whenEmpty}remove it and start again.`);
  return agreed;
}
