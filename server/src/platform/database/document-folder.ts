import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { readDocumentFolder, storeDocumentFolder } from './installation.queries.ts';

class DataDirectoryTaken extends Error {
  override readonly name = 'DataDirectoryTaken';
}

export class DocumentsElsewhere extends Error {
  override readonly name = 'DocumentsElsewhere';
}

class IdentityEmpty extends Error {
  override readonly name = 'IdentityEmpty';
}

/** Where the files of documents and media are: a folder or a bucket. It names its owner and itself. */
export interface DocumentPlace {
  /** The variable that names the place, and its value. */
  setting: string;
  value: string;
  /** Returns the full name of one of its files, for messages. */
  locate(name: string): string;
  readLine(name: string): Promise<string | null>;
  /** Concurrent callers get the same line. */
  readOrCreateLine(name: string, line: string): Promise<string>;
}

const [owner, identity] = ['installation-id', 'document-folder-id'];

/** Throws when `place` or `db` belongs to another installation, which would delete these files as orphans. */
export async function claimDocumentFolder(options: {
  db: Database;
  place: DocumentPlace;
  installationId: string;
}): Promise<void> {
  const { db, place, installationId } = options;
  // Read this before the folder's files: another program may be claiming the folder now.
  await requireDocumentFolder(db, place);
  const ownedBy = await readOrCreateIdentity(
    place,
    owner,
    installationId,
    'if no other database has its documents here, ',
  );
  if (ownedBy !== installationId) throw createTakenError(place);
  const own = await readOrCreateIdentity(place, identity, randomUUID(), '');
  if ((await storeDocumentFolder(db, own)) !== own) throw createElsewhereError(place);
}

/** Returns whether the files of `db` are in `place`: false if no process has claimed a place yet. Throws if they are elsewhere. */
export async function requireDocumentFolder(db: Database, place: DocumentPlace): Promise<boolean> {
  const remembered = await readDocumentFolder(db);
  if (remembered !== null && remembered !== (await place.readLine(identity)))
    throw createElsewhereError(place);
  return remembered !== null;
}

const createTakenError = ({ setting, value, locate }: DocumentPlace): Error =>
  new DataDirectoryTaken(
    `${setting} (${value}) holds the documents of another database. Choose another ${setting}. If that database no longer ` +
      `exists, remove ${locate(owner)}.`,
  );

const createElsewhereError = ({ setting, value }: DocumentPlace): Error =>
  new DocumentsElsewhere(
    `${setting} (${value}) is not where this database's files are. Set the ${setting} of every process to the ` +
      'place that has them. If that place is lost, or its files were moved here, stop every process, run this ' +
      'statement in the database and start again: update installation set document_folder = null;',
  );

async function readOrCreateIdentity(
  place: DocumentPlace,
  name: string,
  line: string,
  whenEmpty: string,
): Promise<string> {
  const agreed = await place.readOrCreateLine(name, line);
  if (agreed === '')
    throw new IdentityEmpty(`${place.locate(name)} is empty: ${whenEmpty}remove it and start again.`);
  return agreed;
}
