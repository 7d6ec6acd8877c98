import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';

/** The first integer of the keys' advisory locks (ASCII "keys"). The second one is the first four bytes of a key's id. */
const keyLockClass = 0x6b657973;

const keyLock = (keyId: string) => sql`${keyLockClass}::int, ${Buffer.from(keyId, 'hex').readInt32BE()}::int`;

export const registeredKeyCount = sql`select count(*) from encryption_keys`;

/** Returns the ids of the keys that the database may need, oldest first. */
export async function selectRegisteredKeys(db: Database | Transaction): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    select key_id from encryption_keys order by first_used_at, key_id`.execute(db);
  return rows.map((row) => row.key_id);
}

export async function registerKey(tx: Transaction, keyId: string): Promise<void> {
  await sql`insert into encryption_keys (key_id) values (${keyId}) on conflict do nothing`.execute(tx);
}

/**
 * Returns statements that register a key and keep it registered while the connection lives. Run them on a connection that
 * lives as long as the process. The first one waits while another process unregisters the key.
 */
export const holdKeyStatements = (keyId: string): string[] => [
  `select pg_advisory_lock_shared(${keyLockClass}, ${Buffer.from(keyId, 'hex').readInt32BE()})`,
  `insert into encryption_keys (key_id) values ('${keyId}') on conflict do nothing`,
];

/** Returns false if a running process holds one of the keys. Otherwise no process can hold them until the commit. */
export async function tryLockKeys(tx: Transaction, keyIds: readonly string[]): Promise<boolean> {
  for (const keyId of keyIds) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${keyLock(keyId)}) as locked`.execute(tx);
    if (rows[0]?.locked !== true) return false;
  }
  return true;
}

export async function unregisterKeys(tx: Transaction, keyIds: readonly string[]): Promise<void> {
  await sql`delete from encryption_keys where key_id = any(${keyIds}::text[])`.execute(tx);
}
