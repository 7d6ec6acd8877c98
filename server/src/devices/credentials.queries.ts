import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { credentialsEntry } from '../ports/messaging-network/credentials.ts';
import { deleteSessions } from './device-sessions.sql.ts';

/** Replaces the whole state of the session. A device that changes its account is not linked until it has connected. Watched by record_device_event. */
export async function storeCredentials(
  tx: Transaction,
  deviceId: string,
  account: { network: string; id: string; key: string; sealed: Buffer },
): Promise<void> {
  await deleteSessions(sql`select ${deviceId}::uuid`).execute(tx);
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed)
    values (${deviceId}, ${account.network}, ${credentialsEntry}, ${account.sealed})`.execute(tx);
  await sql`
    update devices set account_id = ${account.id}, account_key = ${account.key}, updated_at = now(),
      logged_in = logged_in and account_id = ${account.id},
      phone_number = case when account_id = ${account.id} then phone_number end
    where id = ${deviceId}`.execute(tx);
}

export interface AccountRow {
  device_id: string;
  team_id: string;
  /** Of the entry with the credentials. */
  value_sealed: Buffer;
  /** Another device is connected to the account, or was last. */
  is_held_elsewhere: boolean;
}

/** The devices that a webhook address belongs to. */
export async function selectAccounts(
  db: Database,
  { network, accountKey }: { network: string; accountKey: string },
): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select d.id as device_id, d.team_id, s.value_sealed, exists (
      select from devices holder where holder.network = d.network and holder.account_id = d.account_id and holder.logged_in
        and holder.id <> d.id) as is_held_elsewhere
    from devices d
    join device_sessions s on s.device_id = d.id and s.kind = d.network and s.entry_id = ${credentialsEntry}
    where d.account_key = ${accountKey} and d.network = ${network} order by d.id`.execute(db);
  return rows;
}
