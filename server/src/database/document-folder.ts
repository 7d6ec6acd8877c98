import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, isMissing, syncDirectory } from '../shared/durable-files.ts';
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
 * moved. Programs that start at once agree; nothing is written into a folder that is known to be the wrong one.
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
  if (remembered !== null && remembered !== (await lineIn(identity))) throw elsewhere(dataDir);
  if ((await agreedLine(owner, installationId)) !== installationId) throw taken(dataDir, owner);
  const own = await agreedLine(identity, randomUUID());
  // A power cut must not take from the folder what the database keeps: nobody could start any more.
  await syncDirectory(dataDir);
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
      'worker must have as its DATA_DIR. When that folder is lost for good, its files were moved into this one, ' +
      'or this database is a copy of another, forget it by this statement in the database and start again: ' +
      'update installation set document_folder = null;',
  );

/** The line in a file; null where there is none. */
async function lineIn(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The line in a file, which is `line` unless another was there or is written meanwhile. */
async function agreedLine(path: string, line: string): Promise<string> {
  const found = await lineIn(path);
  if (found !== null) return found;
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${line}\n`, { mode: 0o600, flush: true });
  // Unlike a rename, a link replaces nothing.
  try {
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft);
  }
  const agreed = await lineIn(path);
  if (agreed === null) throw new IdentityEmpty(`${path} is empty: remove it and start again.`);
  return agreed;
}
