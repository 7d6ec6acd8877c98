import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { type ListPage, selectPage } from '../database/list-pages.ts';
import { timeouts2s } from '../database/lock-timeout.ts';
import { prepare } from '../database/prepare.ts';
import { inScope } from '../database/scopes.ts';
import type { Scope } from '../http/actor.ts';
import { pageRange } from '../http/pagination.ts';
import { isLeaseValid } from '../pool/leases.sql.ts';
import { effectiveQuota } from '../teams/teams.sql.ts';
import type { CreateDevice, ListDevices, UpdateDevice } from './devices.schemas.ts';

export interface DeviceRow {
  id: string;
  team_id: string;
  bot_id: string;
  name: string;
  status: 'stopped' | 'started';
  connected: boolean;
  blocked: boolean;
  logged_in: boolean;
  phone_number: string | null;
  pool_url: string;
  /** The code to scan now, when there is one. */
  qr_text: string | null;
  last_disconnect_reason: string | null;
  last_disconnect_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A new code follows within moments of the old one's end; until then the old one is shown rather than none. */
const rotationGrace = sql`interval '5 seconds'`;

/** Columns of `DeviceRow` from `devices d left join pools p`: what a pool says of a device counts while it is alive. */
const deviceColumns = sql`
  d.id, d.team_id, d.bot_id, d.name, d.status, d.blocked, d.logged_in, d.phone_number, d.pool_url,
  d.connected and ${isLeaseValid('p')} as connected,
  case when d.qr_expires_at > now() - ${rotationGrace} then d.qr_text end as qr_text,
  case when d.connected and not ${isLeaseValid('p')} then 'pool_lost'
       else d.last_disconnect_reason end as last_disconnect_reason,
  case when d.connected and not ${isLeaseValid('p')} then date_trunc('milliseconds', p.lease_until)
       else d.last_disconnect_at end as last_disconnect_at,
  d.created_at, d.updated_at`;

const devicesWithPools = sql`devices d left join pools p on p.id = d.pool_id`;

/** A device that somebody asks for, and what they may see. */
export interface DeviceLookup {
  scope: Scope;
  id: string;
}

/**
 * One by one: a planner that does not know how few are asked for would read the table. The lists stand in subqueries,
 * where it does not see how long they are: it would plan short ones anew each time, for longer than it takes to read them.
 */
const askedDevices = prepare<
  { ids: string[]; seesAll: boolean[]; teamIds: (string | null)[] },
  DeviceRow & {
    /** Where it was asked for, from 1. */
    place: number;
  }
>(
  (value) => sql`
    select asked.place, found.*
    from unnest((select ${value('ids')}::uuid[]), (select ${value('seesAll')}::boolean[]),
                (select ${value('teamIds')}::uuid[])) with ordinality as asked (id, sees_all, team_id, place)
    cross join lateral (
      select ${deviceColumns} from ${devicesWithPools}
      where d.id = asked.id and (asked.sees_all or d.team_id = asked.team_id) offset 0) as found`,
);

/** In the order asked; undefined where the scope sees no such device. */
export async function selectDevicesById(
  db: Database | Transaction,
  asked: readonly DeviceLookup[],
): Promise<(DeviceRow | undefined)[]> {
  const rows = await askedDevices(db, {
    ids: asked.map(({ id }) => id),
    seesAll: asked.map(({ scope }) => scope.kind === 'all'),
    teamIds: asked.map(({ scope }) => (scope.kind === 'all' ? null : scope.teamId)),
  });
  const found: (DeviceRow | undefined)[] = asked.map(() => undefined);
  for (const row of rows) found[row.place - 1] = row;
  return found;
}

/**
 * Holds the device, and before it its team, until the end of the transaction: whoever removes a team holds the team
 * first, too, so that neither waits for the other. Nor does the team change meanwhile: a ban comes before or after.
 */
export async function lockDevice(
  tx: Transaction,
  scope: Scope,
  id: string,
): Promise<(DeviceRow & { banned: boolean }) | undefined> {
  const { rows: teams } = await sql<{ banned: boolean }>`
    select t.banned from teams t
    where t.id = (select d.team_id from devices d where d.id = ${id} and ${inScope(scope, 'd.team_id')})
    for share`.execute(tx);
  const { rows } = await sql<DeviceRow>`
    select ${deviceColumns} from ${devicesWithPools}
    where d.id = ${id} and ${inScope(scope, 'd.team_id')} for update of d`.execute(tx);
  const [team] = teams;
  const [row] = rows;
  return team === undefined || row === undefined ? undefined : { ...row, banned: team.banned };
}

export function selectDevices(db: Database, scope: Scope, query: ListDevices): Promise<ListPage<DeviceRow>> {
  const from = sql`
    ${devicesWithPools} where ${inScope(scope, 'd.team_id')}
    and ${query.team_id === undefined ? sql`true` : sql`d.team_id = ${query.team_id}::uuid`}
    and ${query.bot_id === undefined ? sql`true` : sql`d.bot_id = ${query.bot_id}::uuid`}
    and ${query.status === undefined ? sql`true` : sql`d.status = ${query.status}`}
    and ${query.connected === undefined ? sql`true` : sql`(d.connected and ${isLeaseValid('p')}) = ${query.connected}`}`;
  const list = { columns: deviceColumns, from, order: sql`d.created_at desc, d.id desc` };
  return selectPage(db, list, pageRange(query));
}

/** False when there is no such team in the scope. The team stays until the end of the transaction. */
export async function keepTeam(tx: Transaction, scope: Scope, teamId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from teams where id = ${teamId} and ${inScope(scope, 'id')} for key share`.execute(tx);
  return rows.length === 1;
}

/** False when the team has no such bot. The bot stays until the end of the transaction. */
export async function keepBot(tx: Transaction, teamId: string, botId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from bots where id = ${botId} and team_id = ${teamId} and state = 'live' for key share`.execute(
    tx,
  );
  return rows.length === 1;
}

export interface ReservedPool {
  poolId: string;
  poolUrl: string;
}

/**
 * Takes a place on the live pool with the most free ones. Null when every pool is full. The pool's row, which it needs for
 * its lease, is held to the end of the transaction: last of all.
 */
export async function reserveCapacity(tx: Transaction): Promise<ReservedPool | null> {
  const free = sql`lease_until > now() and not draining and devices < capacity`;
  for (;;) {
    const { rows } = await sql<ReservedPool>`
      update pools set devices = devices + 1 from ${timeouts2s}
      where id = (select id from pools where ${free} order by capacity - devices desc, id limit 1) and ${free}
      returning id as "poolId", url as "poolUrl"`.execute(tx);
    if (rows[0] !== undefined) return rows[0];
    // The chosen pool can have filled up while this transaction waited for its row: look for another.
    const { rows: others } = await sql`select from pools where ${free} limit 1`.execute(tx);
    if (others.length === 0) return null;
  }
}

export async function insertDevice(
  tx: Transaction,
  id: string,
  { team_id, bot_id, name }: CreateDevice,
  place: ReservedPool,
): Promise<void> {
  await sql`
    insert into devices (id, team_id, bot_id, name, pool_id, pool_url)
    values (${id}, ${team_id}, ${bot_id}, ${name}, ${place.poolId}, ${place.poolUrl})`.execute(tx);
}

/** Null when charged, else the quota of accounts that is used up. */
export async function chargeAccount(
  tx: Transaction,
  teamId: string,
): Promise<{ used: number; limit: number } | null> {
  const quota = sql`(select ${effectiveQuota('accounts')}
                     from teams t join plans p on p.name = t.plan_name where t.id = ${teamId})`;
  const charged = await sql`
    update team_usage set accounts = accounts + 1 where team_id = ${teamId} and accounts < ${quota}
    returning accounts`.execute(tx);
  if (charged.rows.length === 1) return null;
  const { rows } = await sql<{ used: number; limit: number }>`
    select accounts as used, ${quota} as "limit" from team_usage where team_id = ${teamId}`.execute(tx);
  return rows[0] ?? { used: 0, limit: 0 };
}

export async function updateDevice(
  tx: Transaction,
  id: string,
  { name = null, bot_id = null }: { [Field in keyof UpdateDevice]: UpdateDevice[Field] | null },
): Promise<void> {
  await sql`
    update devices set name = coalesce(${name}, name), bot_id = coalesce(${bot_id}::uuid, bot_id), updated_at = now()
    where id = ${id}`.execute(tx);
}

/** Its charge is given back; its place in the pool, last of all, is freed by the table's trigger. */
export async function deleteDeviceRow(
  tx: Transaction,
  device: { id: string; team_id: string },
): Promise<void> {
  await sql`
    update team_usage set accounts = greatest(accounts - 1, 0) where team_id = ${device.team_id}`.execute(tx);
  await sql`delete from devices using ${timeouts2s} where id = ${device.id}`.execute(tx);
}

/** Session state without a link, as an interrupted pairing leaves it; not what is still needed to unlink. */
export async function deleteUnlinkedSession(tx: Transaction, deviceId: string): Promise<void> {
  await sql`
    delete from device_sessions where device_id = ${deviceId}
      and not exists (select from tombstones where kind = 'session' and ref = ${deviceId})`.execute(tx);
}
