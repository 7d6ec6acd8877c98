import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { SealedColumn } from '../platform/shared/encryption.ts';
import { messagingNetworks, takesCredentials } from '../ports/messaging-network/supported-content.ts';
import { isUnlinkScheduled } from '../records/external-deletions/external-deletions.sql.ts';

export const sealedSessions: SealedColumn = {
  table: 'device_sessions',
  column: 'value_sealed',
  identity: ['device_id', 'kind', 'entry_id'],
  context: (...identity) => ['device_sessions', ...identity].join(':'),
};

export const hasStoredSession = (column: string) => sql<SqlBool>`exists (
  select from device_sessions where device_id = ${sql.ref(column)})`;

/** The networks whose entries have their name as the kind. */
const ownKind = ['simulator', ...messagingNetworks.filter((name) => takesCredentials(name))];

/**
 * Returns the network of a stored session, null if there is none. The device may be deleted. Networks without sessions are never
 * unlinked.
 */
export async function selectSessionNetwork(db: Database, deviceId: string): Promise<string | null> {
  const { rows } = await sql<{ network: string }>`
    select case when kind = any(${ownKind}::text[]) then kind else 'whatsapp' end as network
    from device_sessions where device_id = ${deviceId}::uuid order by kind = any(${ownKind}::text[]) desc limit 1`.execute(
    db,
  );
  return rows[0]?.network ?? null;
}

export const deleteSessions = (deviceIds: RawBuilder<unknown>) =>
  sql`delete from device_sessions where device_id in (${deviceIds})`;

/** Deletes credentials of an interrupted pairing, but keeps those that a scheduled unlink needs. */
export async function deleteUnlinkedSession(tx: Transaction, deviceId: string): Promise<void> {
  await sql`
    delete from device_sessions where device_id = ${deviceId}
      and not ${isUnlinkScheduled(deviceId)}`.execute(tx);
}

/** Not about contacts, although the id of an entry can look like a contact's. */
const ownKinds = ['creds', 'pre-key', 'app-state-sync-key', 'app-state-sync-version', 'inbox'];
/** A shorter text in an id is the number of a contact's device. */
const minAddressLength = 5;

/** Keys of the encryption with a contact carry the contact's number. The network agrees on new ones when needed. */
export async function deleteSessionEntriesOf(
  tx: Transaction,
  deviceIds: readonly string[],
  addresses: readonly string[],
): Promise<number> {
  const users = addresses
    .map((address) => address.replace(/^\+|^[a-z]+:|@.*$/gs, ''))
    .filter((user) => user.length >= minAddressLength)
    .map((user) => user.replace(/[^A-Za-z0-9]/g, '\\$&'));
  if (users.length === 0) return 0;
  const whole = `(^|[^[:alnum:]])(${users.join('|')})([^[:alnum:]]|$)`;
  const { numAffectedRows = 0n } = await sql`
    delete from device_sessions
    where device_id = any(${deviceIds}::uuid[]) and kind <> all(${ownKinds}::text[]) and entry_id ~ ${whole}`.execute(
    tx,
  );
  return Number(numAffectedRows);
}
