import { type QueryExecutorProvider as Db, sql } from 'kysely';

export interface Intent {
  installationId: string;
  kind: 'document' | 'knowledge';
  operation: string;
  contentHash: string;
}

export interface StoredObject {
  /** Null if the creation was not confirmed. */
  ref: string | null;
  checkStoreRef: string | null;
  createdAt: Date;
  /** Whether an earlier attempt may have created the object. */
  wasTried: boolean;
}

/** Returns the row of the same operation and content if there is one. */
export async function insertIntent(db: Db, intent: Intent): Promise<StoredObject> {
  const { installationId, kind, operation, contentHash } = intent;
  const { rows } = await sql<StoredObject>`
    insert into openai_objects (installation_id, kind, operation, content_hash)
    values (${installationId}, ${kind}, ${operation}, ${contentHash})
    on conflict (installation_id, kind, operation, content_hash) do update set operation = excluded.operation
    returning ref, check_store_ref as "checkStoreRef", created_at as "createdAt",
      xmax <> 0 as "wasTried"`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The statement returned no row');
  return row;
}

/** Returns the ref of the first attempt that confirmed its object. */
export async function confirmObject(db: Db, intent: Intent, ref: string): Promise<string> {
  const { installationId, kind, operation, contentHash } = intent;
  const { rows } = await sql<{ ref: string }>`
    update openai_objects set ref = coalesce(ref, ${ref})
    where installation_id = ${installationId} and kind = ${kind} and operation = ${operation}
      and content_hash = ${contentHash}
    returning ref`.execute(db);
  return rows[0]?.ref ?? ref;
}

/** Returns the check store that another attempt stored first, if there is one. */
export async function storeCheckStore(db: Db, documentRef: string, storeRef: string): Promise<string> {
  const { rows } = await sql<{ stored: string }>`
    update openai_objects set check_store_ref = coalesce(check_store_ref, ${storeRef})
    where ref = ${documentRef} returning check_store_ref as stored`.execute(db);
  return rows[0]?.stored ?? storeRef;
}

/** Returns null for an unknown document and for one without a check store. */
export async function findCheckStore(db: Db, documentRef: string): Promise<string | null> {
  const { rows } = await sql<{ stored: string | null }>`
    select check_store_ref as stored from openai_objects
    where ref = ${documentRef} and kind = 'document'`.execute(db);
  return rows[0]?.stored ?? null;
}

export async function insertAttachment(db: Db, documentRef: string, storeRef: string): Promise<void> {
  await sql`
    insert into openai_attachments (document_ref, store_ref) values (${documentRef}, ${storeRef})
    on conflict do nothing`.execute(db);
}

export async function findStoresOf(db: Db, documentRef: string): Promise<string[]> {
  const { rows } = await sql<{ ref: string }>`
    select store_ref as ref from openai_attachments where document_ref = ${documentRef}
    union
    select check_store_ref from openai_objects
    where ref = ${documentRef} and check_store_ref is not null`.execute(db);
  return rows.map(({ ref }) => ref);
}

/** Call it after the deletion at OpenAI is confirmed. */
export async function deleteObjectRows(db: Db, ref: string): Promise<void> {
  await sql`
    with detached as (
      delete from openai_attachments where document_ref = ${ref} or store_ref = ${ref}
    )
    delete from openai_objects where ref = ${ref}`.execute(db);
}

/** Deletes the rows of attempts that created nothing or whose object was found by its tag and deleted. */
export async function deleteStaleIntents(db: Db): Promise<void> {
  await sql`
    delete from openai_objects
    where ref is null and created_at < now() - interval '7 days'`.execute(db);
}
