import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Returns the id that distinguishes the objects and tokens of this deployment from others. */
export async function readInstallationId(db: Database): Promise<string> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Stores the check of the encryption key unless one exists. Returns the stored one. */
export async function storeKeyCheck(db: Database, check: Buffer): Promise<Buffer> {
  const { rows } = await sql<{ key_check: Buffer }>`
    update installation set key_check = coalesce(key_check, ${check}) returning key_check`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the installation row is missing');
  return row.key_check;
}

export async function readDocumentFolder(db: Database): Promise<string | null> {
  const row = await db.selectFrom('installation').select('document_folder').executeTakeFirstOrThrow();
  return row.document_folder;
}

export async function storeDocumentFolder(db: Database, folder: string): Promise<string> {
  const { rows } = await sql<{ document_folder: string }>`
    update installation set document_folder = coalesce(document_folder, ${folder})
    returning document_folder`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the installation row is missing');
  return row.document_folder;
}

export async function isDatabaseReachable(db: Database): Promise<boolean> {
  return readInstallationId(db).then(
    () => true,
    () => false,
  );
}
