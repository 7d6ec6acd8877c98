import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SealedColumn } from '../shared/encryption.ts';
import type { Database, Transaction } from './database.ts';

export const sealedDeviceTokenKey: SealedColumn = {
  table: 'installation',
  column: 'device_token_key_sealed',
  identity: ['id'],
  context: (id) => `installation:${id}:device_token_key`,
};

/** Returns the id that distinguishes the objects and tokens of this deployment from others. */
export async function readInstallationId(db: Database): Promise<string> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Only one process at a time opens the keyring. */
export async function lockInstallation(
  tx: Transaction,
): Promise<{ key_check: Buffer | null; device_token_key_sealed: Buffer | null }> {
  return tx
    .selectFrom('installation')
    .select(['key_check', 'device_token_key_sealed'])
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function storeDeviceTokenKey(tx: Transaction, sealed: Buffer): Promise<void> {
  await sql`update installation set device_token_key_sealed = ${sealed}`.execute(tx);
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

/** Where the documents and knowledge stores of the bots are. */
export type KnowledgePlace = 'database' | 'openai';

export const otherPlace = (place: KnowledgePlace): KnowledgePlace =>
  place === 'openai' ? 'database' : 'openai';

/** Stores the place unless one of `uses` is true. Returns the stored place. */
export async function storeKnowledgePlace(
  db: Database,
  place: KnowledgePlace,
  uses: readonly RawBuilder<SqlBool>[],
): Promise<KnowledgePlace> {
  const { rows } = await sql<{ knowledge_place: KnowledgePlace }>`
    update installation set knowledge_place = case when ${sql.join(uses, sql` or `)} then knowledge_place else ${place} end
    returning knowledge_place`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the installation row is missing');
  return row.knowledge_place;
}

/** Returns false if it is the stored place already. */
export async function replaceKnowledgePlace(tx: Transaction, place: KnowledgePlace): Promise<boolean> {
  const { rows } = await sql`
    update installation set knowledge_place = ${place} where knowledge_place <> ${place} returning id`.execute(
    tx,
  );
  return rows.length === 1;
}

/** The first integer of the places' advisory locks (ASCII "know"). */
const placeLockClass = 0x6b6e6f77;

const placeLock = (place: KnowledgePlace): string => `${placeLockClass}, ${place === 'openai' ? 1 : 0}`;

/** Shows other processes the configured place while the connection of the statement lives. */
export const holdPlaceStatement = (place: KnowledgePlace): string =>
  `select pg_advisory_lock_shared(${placeLock(place)})`;

/** Returns false if a running process holds the place. Otherwise none can hold it until the commit. */
export async function tryLockPlace(tx: Transaction, place: KnowledgePlace): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.raw(placeLock(place))}) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

export const knowledgePlace = sql<KnowledgePlace>`(select knowledge_place from installation)`;
