import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { timeouts2s } from '../platform/database/lock-timeout.ts';
import { inScope, type Scope } from '../platform/database/scopes.ts';
import { isUuid } from '../platform/shared/ids.ts';
import { networksWithWindow } from '../ports/messaging-network/supported-content.ts';
import { forgetOwnEventsStatement } from '../records/events/events.sql.ts';
import { brandOf, type ShownBrand } from '../tenancy/brands/brands.sql.ts';
import { joinTeam } from '../tenancy/teams/teams.sql.ts';
import { deleteSessions, hasStoredSession } from './device-sessions.sql.ts';
import type { DeviceRow } from './devices.queries.ts';
import { isLeaseValid, joinPool } from './leases.sql.ts';

/** Sets the columns of a stopped device. The new epoch fences off its session. */
export const stopped = sql`
  status = 'stopped', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null, updated_at = now()`;

export const disconnected = (reason: string) => sql`
  last_disconnect_reason = case when status = 'started' then ${reason} else last_disconnect_reason end,
  last_disconnect_at = case when status = 'started' then now() else last_disconnect_at end`;

/** What the chat of a website needs of its device. */
export interface WebSite
  extends Pick<DeviceRow, 'id' | 'team_id' | 'name' | 'web_chat' | 'token_generation'> {
  brand: ShownBrand | null;
  /** Its visitors can write: it is started, and its team is not banned. */
  is_open: boolean;
}

/** The id of a device is its key until another one replaces it. Returns null for a key that names no device. */
export async function selectWebSites(db: Database, keys: readonly string[]): Promise<(WebSite | null)[]> {
  const { rows } = await sql<WebSite & { key: string }>`
    select coalesce(d.site_key, d.id::text) as key, d.id, d.team_id, d.name, d.web_chat, d.token_generation,
           d.status = 'started' and not t.banned as is_open, ${brandOf(sql`d.team_id`)} as brand
    from devices d ${joinTeam('d.team_id')}
    where d.network = 'web'
      and (d.site_key = any(${keys}::text[]) or d.id = any(${keys.filter(isUuid)}::uuid[]) and d.site_key is null)`.execute(
    db,
  );
  const sites = new Map(rows.map(({ key, ...site }) => [key, site]));
  return keys.map((key) => sites.get(key) ?? null);
}

/** Devices that an earlier version created belong to the network that its deployment had. */
export async function nameNetworks(db: Database, network: string): Promise<void> {
  await sql`update devices set network = ${network} where network is null`.execute(db);
}

/** Returns undefined for a deleted device. A null reply: none. */
export async function selectMissedCallReply(
  tx: Transaction,
  deviceId: string,
): Promise<{ teamId: string; reply: string | null } | undefined> {
  const { rows } = await sql<{ teamId: string; reply: string | null }>`
    select team_id as "teamId", missed_call_reply as reply from devices where id = ${deviceId}`.execute(tx);
  return rows[0];
}

export const joinDevice = (column: string) => sql`join devices d on d.id = ${sql.ref(column)}`;

export const deviceName = (column: string) =>
  sql`(select d.name from devices d where d.id = ${sql.ref(column)})`;

/** The network of the device takes only templates once the contact has not written for 24 hours. */
export const deviceHasWindow = (column: string) => sql<SqlBool>`exists (
  select from devices d where d.id = ${sql.ref(column)} and d.network = any(${networksWithWindow}::text[]))`;

export const devicesOfBot = (botId: string) => sql`select id from devices where bot_id = ${botId}`;

export const hasDevice = (column: string) =>
  sql<SqlBool>`exists (select from devices d where d.id = ${sql.ref(column)})`;

/** Returns null for a device that does not exist. */
export async function selectTokenGenerations(
  db: Database,
  deviceIds: readonly string[],
): Promise<(number | null)[]> {
  const { rows } = await sql<{ id: string; token_generation: number }>`
    select id, token_generation from devices where id = any(${deviceIds}::uuid[])`.execute(db);
  const generations = new Map(rows.map((row) => [row.id, row.token_generation]));
  return deviceIds.map((id) => generations.get(id) ?? null);
}

export async function selectDevicesOfBot(tx: Transaction, botId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('devices')
    .select('id')
    .where('bot_id', '=', botId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Returns the ids of the devices that were started. Watched by record_device_event. */
export async function stopDevicesOfTeam(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update devices
    set ${disconnected('team_banned')}, ${stopped}
    where team_id = ${teamId} and status <> 'stopped'
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export async function lockDevicesOfTeam(tx: Transaction, teamId: string): Promise<void> {
  await sql`select from devices where team_id = ${teamId} order by id for update`.execute(tx);
}

export const devicesWithSessions = (teamId: string) => sql`
  devices where team_id = ${teamId} and ${hasStoredSession('devices.id')}`;

/**
 * Deletes the credentials of the phones without unlinking them, and without events that report them as logged out. Returns the
 * number of linked devices.
 * Watched by record_device_event.
 */
export async function forgetPhones(tx: Transaction, teamId: string): Promise<number> {
  await deleteSessions(sql`select id from devices where team_id = ${teamId}`).execute(tx);
  const { numAffectedRows = 0n } = await sql`
    update devices set ${stopped}, logged_in = false, phone_number = null
    where team_id = ${teamId} and logged_in`.execute(tx);
  await sql.raw(forgetOwnEventsStatement).execute(tx);
  return Number(numAffectedRows);
}

/**
 * The foreign keys of devices protect bots, so delete the devices first. A trigger releases capacity in the pools.
 * Watched by free_pool_places.
 */
export async function deleteDevicesOfTeam(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from devices using ${timeouts2s} where team_id = ${teamId} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** True while the network refuses new chats of the device. `deviceId` is a column name. */
export const isDeviceRestricted = (deviceId: string) => sql<SqlBool>`exists (
  select from devices restricted
  where restricted.id = ${sql.ref(deviceId)} and restricted.new_chats_restricted_until > now())`;

export async function selectDeviceIds(tx: Transaction, scope: Scope): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`select id from devices where ${inScope(scope, 'team_id')}`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. A device that is connecting has a minute. Warming up is
 * no trouble. The reason is `banned`, `restricted`, `not_linked` or that of the last disconnection.
 */
export const troubledDevices = (scope: Scope) => sql`
  select 'device' as kind, d.id::text as id, d.team_id, d.name, trouble.reason, trouble.since
  from devices d left ${joinPool} cross join lateral (
    select reason, since from (values (1, d.blocked, 'banned', coalesce(d.last_disconnect_at, d.updated_at)),
    (2, d.status = 'stopped' and d.last_disconnect_reason in ('logged_out', 'phone_in_use', 'qr_timeout', 'code_refused', 'too_many_codes',
                                                                   'credentials_invalid', 'account_in_use'),
        d.last_disconnect_reason, d.last_disconnect_at),
    (3, d.status = 'started' and d.connected and not ${isLeaseValid('p')}, 'pool_lost', p.lease_until),
    (4, d.status = 'started' and not d.connected, case when d.logged_in then d.last_disconnect_reason else 'not_linked' end,
        coalesce(greatest(d.last_disconnect_at, case when not d.logged_in then d.created_at end), d.updated_at)),
    (5, d.new_chats_restricted_until > now() and d.new_chats_restricted_by is distinct from 'warm_up', 'restricted', d.updated_at)
    ) found (position, applies, reason, since)
    where applies and (position in (1, 2, 5) or since < now() - interval '1 minute') order by position limit 1
  ) trouble where ${inScope(scope, 'd.team_id')}`;
