import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

export const keysOfTeam = (teamId: string) => sql`select key_id from api_keys where team_id = ${teamId}`;

/** The id and the team of a key, if it exists. */
/** The name of a key. */
export const nameOfKey = (keyId: RawBuilder<unknown>) => sql`
  select name from api_keys where key_id = ${keyId}`;

export const knownKey = (keyId: RawBuilder<unknown>) => sql`
  select key_id, team_id from api_keys where key_id = ${keyId}`;

/** Returns the ids of API keys that can be exchanged, but whose secrets were hashed with another encryption key. */
export async function selectUsableKeysOfOtherHash(
  tx: Transaction,
  encryptionKeyId: string,
): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    select key_id from api_keys
    where secret_key_id is distinct from ${encryptionKeyId} and is_active
      and (expires_at is null or expires_at > now())
    order by key_id limit 100`.execute(tx);
  return rows.map((row) => row.key_id);
}
