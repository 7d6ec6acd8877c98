import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';

export const keysOfTeam = (teamId: string) => sql`select key_id from api_keys where team_id = ${teamId}`;

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
