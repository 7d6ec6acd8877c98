import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../platform/database/list-pages.ts';
import { timeouts2s } from '../platform/database/lock-timeout.ts';
import { nextUpdate } from '../platform/database/next-update.ts';
import { prepare } from '../platform/database/prepare.ts';
import { inScope, type Scope } from '../platform/database/scopes.ts';
import { pageRange } from '../platform/http/pagination.ts';
import { lockSelectedTeam } from '../tenancy/teams/teams.sql.ts';
import { refundAccount } from '../tenancy/usage/usage.sql.ts';
import type { CreateDevice, ListDevices, UpdateDevice, WebChatSettings } from './devices.schemas.ts';
import { isLeaseValid, joinPool } from './leases.sql.ts';
import type { ReservedPool } from './pools/pools.sql.ts';

export interface DeviceRow {
  id: string;
  team_id: string;
  bot_id: string;
  name: string;
  network: string | null;
  /** Of the account whose credentials are stored. */
  account_key: string | null;
  web_chat: Partial<WebChatSettings> | null;
  site_key: string | null;
  default_template: { name: string; language: string } | null;
  status: 'stopped' | 'started';
  connected: boolean;
  blocked: boolean;
  logged_in: boolean;
  phone_number: string | null;
  pool_url: string;
  qr_text: string | null;
  pairing_phone_number: string | null;
  token_generation: number;
  missed_call_reply: string | null;
  last_disconnect_reason: string | null;
  last_disconnect_at: Date | null;
  suspended_until: Date | null;
  quality: string | null;
  messaging_limit: number | null;
  new_chats_restricted_until: Date | null;
  new_chats_restricted_by: 'network_refused' | 'warm_up' | null;
  created_at: Date;
  updated_at: Date;
}

/** Shows an expired code until the next one arrives. */
const rotationGrace = sql`interval '5 seconds'`;

/** Needs `devices d left join pools p`. A device counts as connected only while its pool's lease is valid. */
const deviceColumns = sql`
  d.id, d.team_id, d.bot_id, d.name, d.network, d.account_key, d.web_chat, d.site_key, d.default_template, d.status, d.blocked, d.logged_in, d.phone_number, d.pool_url,
  d.token_generation, d.pairing_phone_number, d.missed_call_reply,
  d.connected and ${isLeaseValid('p')} as connected,
  case when d.qr_expires_at > now() - ${rotationGrace} then d.qr_text end as qr_text,
  case when d.connected and not ${isLeaseValid('p')} then 'pool_lost'
       else d.last_disconnect_reason end as last_disconnect_reason,
  case when d.connected and not ${isLeaseValid('p')} then date_trunc('milliseconds', p.lease_until)
       else d.last_disconnect_at end as last_disconnect_at,
  d.suspended_until, d.quality, d.messaging_limit, d.new_chats_restricted_until, d.new_chats_restricted_by, d.created_at, d.updated_at`;

const devicesWithPools = sql`devices d left ${joinPool}`;

export interface DeviceLookup {
  scope: Scope;
  id: string;
}

/** The statement for several devices costs the database twice as much for one. */
const selectOne = prepare<{ id: string; seesAll: boolean; teamId: string | null }, DeviceRow>(
  (value) => sql`
    select ${deviceColumns} from ${devicesWithPools}
    where d.id = ${value('id')} and (${value('seesAll')}::boolean or d.team_id = ${value('teamId')}::uuid)`,
);

/**
 * The lateral join and `offset 0` prevent a table scan. The subqueries hide the length of the lists from the planner, which
 * would otherwise replan short lists each time.
 */
const selectRequested = prepare<
  { ids: string[]; seesAll: boolean[]; teamIds: (string | null)[] },
  DeviceRow & {
    position: number;
  }
>(
  (value) => sql`
    select asked.position, found.*
    from unnest((select ${value('ids')}::uuid[]), (select ${value('seesAll')}::boolean[]),
                (select ${value('teamIds')}::uuid[])) with ordinality as asked (id, sees_all, team_id, position)
    cross join lateral (
      select ${deviceColumns} from ${devicesWithPools}
      where d.id = asked.id and (asked.sees_all or d.team_id = asked.team_id) offset 0) as found`,
);

/** Returns devices in the order of `lookups`, undefined where the device is outside the scope. */
export async function selectDevicesById(
  db: Database | Transaction,
  lookups: readonly DeviceLookup[],
): Promise<(DeviceRow | undefined)[]> {
  const asked = lookups.map(({ id, scope }) => ({
    id,
    seesAll: scope.kind === 'all',
    teamId: scope.kind === 'all' ? null : scope.teamId,
  }));
  const [first] = asked;
  if (asked.length === 1 && first !== undefined) {
    const [row] = await selectOne(db, first);
    return [row];
  }
  const rows = await selectRequested(db, {
    ids: asked.map(({ id }) => id),
    seesAll: asked.map(({ seesAll }) => seesAll),
    teamIds: asked.map(({ teamId }) => teamId),
  });
  const found: (DeviceRow | undefined)[] = lookups.map(() => undefined);
  for (const row of rows) found[row.position - 1] = row;
  return found;
}

/** Locks the team before the device, like the deletion of a team. */
export async function lockDevice(
  tx: Transaction,
  scope: Scope,
  id: string,
): Promise<(DeviceRow & { banned: boolean }) | undefined> {
  const team = await lockSelectedTeam(
    tx,
    sql`select d.team_id from devices d where d.id = ${id} and ${inScope(scope, 'd.team_id')}`,
  );
  const { rows } = await sql<DeviceRow>`
    select ${deviceColumns} from ${devicesWithPools}
    where d.id = ${id} and ${inScope(scope, 'd.team_id')} for update of d`.execute(tx);
  const [row] = rows;
  return team === undefined || row === undefined ? undefined : { ...row, banned: team.banned };
}

export function selectDevices(db: Database, scope: Scope, query: ListDevices): Promise<ListPage<DeviceRow>> {
  const from = sql`
    ${devicesWithPools} where ${sql.join([inScope(scope, 'd.team_id'), ...isWithin('d.created_at', query)], sql` and `)}
    and ${query.team_id === undefined ? sql`true` : sql`d.team_id = ${query.team_id}::uuid`}
    and ${query.bot_id === undefined ? sql`true` : sql`d.bot_id = ${query.bot_id}::uuid`}
    and ${query.status === undefined ? sql`true` : sql`d.status = ${query.status}`}
    and ${query.connected === undefined ? sql`true` : sql`(d.connected and ${isLeaseValid('p')}) = ${query.connected}`}`;
  const list = {
    columns: deviceColumns,
    from,
    order: sql`d.created_at desc, d.id desc`,
    cursorColumns: { time: 'd.created_at', id: 'd.id' },
  };
  return selectPage(db, list, pageRange(query));
}

export async function insertDevice(
  tx: Transaction,
  id: string,
  { team_id, bot_id, name, network }: Omit<CreateDevice, 'network'> & { network: string },
  pool: ReservedPool,
): Promise<void> {
  await sql`
    insert into devices (id, team_id, bot_id, name, network, pool_id, pool_url)
    values (${id}, ${team_id}, ${bot_id}, ${name}, ${network}, ${pool.poolId}, ${pool.poolUrl})`.execute(tx);
}

export async function updateDevice(
  tx: Transaction,
  id: string,
  {
    name = null,
    bot_id = null,
    web_chat,
    missed_call_reply: reply,
    default_template: template,
  }: { [Field in keyof UpdateDevice]: UpdateDevice[Field] | null },
): Promise<void> {
  const { site_key: siteKey = null, ...settings } = web_chat ?? {};
  await sql`
    update devices set name = coalesce(${name}, name), bot_id = coalesce(${bot_id}::uuid, bot_id),
      web_chat = case when ${Object.keys(settings).length === 0} then web_chat
                      else coalesce(web_chat, '{}') || ${JSON.stringify(settings)}::jsonb end,
      site_key = coalesce(${siteKey}, site_key),
      missed_call_reply = case when ${reply !== undefined}::boolean then ${reply ?? null} else missed_call_reply end,
      default_template = case when ${template !== undefined}::boolean then ${template == null ? null : JSON.stringify(template)}::jsonb else default_template end,
      updated_at = ${nextUpdate('updated_at')}
    where id = ${id}`.execute(tx);
}

/** The error of an update whose site key another device has. */
export const isSiteKeyInUse = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'devices_site_key';

export async function startTokenGeneration(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set token_generation = token_generation + 1, updated_at = now() where id = ${id}`.execute(
    tx,
  );
}

/** Deletes the device and refunds its charge. A trigger releases its capacity in the pool. Watched by free_pool_places. */
export async function deleteDeviceRow(
  tx: Transaction,
  device: { id: string; team_id: string },
): Promise<void> {
  await refundAccount(tx, device.team_id);
  await sql`delete from devices using ${timeouts2s} where id = ${device.id}`.execute(tx);
}
