import { type RawBuilder, sql } from 'kysely';
import { type ContactOf, type Expired, isOfContact } from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { idBefore } from '../../platform/shared/ids.ts';
import { hasTeam } from '../../tenancy/teams/teams.sql.ts';
import type { EventType } from './catalogue.ts';

/** Records an event that no row's change reports. Triggers record the others in the transactions of the changes. */
export async function recordEvent(
  db: Database | Transaction,
  type: EventType,
  teamId: string | null,
  data: object,
  contactNumber: string | null = null,
): Promise<void> {
  await sql`
    insert into events (type, team_id, contact_number, data)
    values (${type}, ${teamId}::uuid, ${contactNumber}, ${JSON.stringify(data)}::jsonb)`.execute(db);
}

/** Deletes the events that triggers recorded in this transaction. */
export const forgetOwnEventsStatement = 'delete from events where xid = pg_current_xact_id()';

/** Records an event for each row of a table of conversations. `data` is added to the ids and the number of the conversation. */
export const insertedConversationEvents = (type: EventType, conversations: string, data: object) => sql`
  insert into events (type, team_id, device_id, contact_number, data)
  select ${type}, c.team_id, c.device_id, c.contact_number,
         jsonb_build_object('conversation_id', c.id, 'device_id', c.device_id, 'contact_number', c.contact_number)
           || ${JSON.stringify(data)}::jsonb
  from ${sql.table(conversations)} c`;

/** Keeps the event of the deletion itself. */
export async function deleteEventsOfTeam(db: Database, teamId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from events where ctid = any(array(
      select ctid from events where team_id = ${teamId} and type <> 'team.deleted' limit ${limit}))`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** The table of events, for joins with deliveries. */
export const deliverableEvents = sql`events`;

/** Needs an event `e`. Reads the size of compressed data from its text, which costs more. */
export const dataBytes = sql`
  case when pg_column_compression(e.data) is null then pg_column_size(e.data) else octet_length(e.data::text) end`;

/** The events that a webhook of the team, or of all teams, can get: one, or all after an id. */
export const replayableEvents = (
  teamId: string | null,
  which: { eventId: string } | { after: string },
): RawBuilder<unknown> => sql`(
  select * from events
  where ${'eventId' in which ? sql`id = ${which.eventId}::uuid` : sql`id > ${which.after}::uuid`}
    and ${teamId === null ? sql`true` : sql`team_id = ${teamId}::uuid`})`;

/** Without transactions of other databases on the server, which write no events here. */
const ownRunningTransactions = sql`
  select running from pg_snapshot_xip(pg_current_snapshot()) as running
  where running::xid not in (
    select backend_xid from pg_stat_activity
    where backend_xid is not null and datid <> (select oid from pg_database where datname = current_database()))`;

/** Transactions before this one have all ended, so nothing can appear before it any more. */
export const watermark = sql`(
  select coalesce((select min(running) from (${ownRunningTransactions}) own), pg_snapshot_xmax(pg_current_snapshot())))`;

interface Fanned {
  fanned_xid: string;
  fanned_seq: string;
}

/** A plain read, so that a process without work writes nothing. Without the order, PostgreSQL would scan the whole table. */
export async function hasUnfannedEvents(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from events e
    where (e.xid, e.seq) > ((select fanned_xid from event_log), (select fanned_seq from event_log))
      and e.xid < ${watermark}
    order by e.xid, e.seq limit 1`.execute(db);
  return rows.length === 1;
}

/** Returns the position up to which webhooks got the events, or undefined if another process has locked it. */
export async function lockFannedPosition(tx: Transaction): Promise<Fanned | undefined> {
  const { rows } = await sql<Fanned>`
    select fanned_xid, fanned_seq::text from event_log for update skip locked`.execute(tx);
  return rows[0];
}

/** The next committed events after a position, in order. No other event can appear before them any more. */
export const eventsAfter = ({ fanned_xid: xid, fanned_seq: seq }: Fanned, limit: number) => sql`
  select e.id, e.xid, e.seq, e.team_id, e.type, e.device_id, e.contact_number from events e
  where (e.xid, e.seq) > (${xid}::xid8, ${seq}::bigint) and e.xid < ${watermark}
  order by e.xid, e.seq limit ${limit}`;

export async function storeFannedPosition(
  tx: Transaction,
  { fanned_xid: xid, fanned_seq: seq }: Fanned,
): Promise<void> {
  await sql`update event_log set fanned_xid = ${xid}::xid8, fanned_seq = ${seq}::bigint`.execute(tx);
}

export async function eventExists(tx: Transaction, scope: Scope, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from events where id = ${id}::uuid and ${inScope(scope, 'team_id')}`.execute(tx);
  return rows.length === 1;
}

/** Deliveries go with their events. */
export async function deleteExpiredEvents(db: Database, expired: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from events where id = any(array(
      select id from events where team_id = ${expired.teamId} and id < ${idBefore(expired.before)}::uuid
      limit ${expired.limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

/** Events of all teams together, and of teams that no longer exist. */
export async function deleteOldestEvents(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from events where id = any(array(
      select e.id from events e
      where e.id < ${idBefore(before)}::uuid and (e.team_id is null or not ${hasTeam('e.team_id')})
      order by e.id limit ${limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

export interface ContactEvents {
  ids: string[];
  /** The oldest transaction whose events may be missing. */
  since: string;
}

/** Reads the whole log, because no index leads to the events of a contact. */
export async function selectEventsOfContact(tx: Transaction, contact: ContactOf): Promise<ContactEvents> {
  const { rows } = await sql<ContactEvents>`
    select coalesce(array_agg(id), '{}') as ids, pg_snapshot_xmin(pg_current_snapshot()) as since
    from events where ${isOfContact(contact)}`.execute(tx);
  return rows[0] ?? { ids: [], since: '0' };
}

/** Deletes the events that were found, and those that were recorded since. */
export async function deleteEventsOfContact(
  tx: Transaction,
  contact: ContactOf,
  { ids, since }: ContactEvents,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from events
    where (id = any(${ids}::uuid[]) or xid >= ${since}::xid8) and ${isOfContact(contact)}`.execute(tx);
  return Number(numAffectedRows);
}

/** Counts the events of a team in a time, for each of the types. */
export async function countEvents<Type extends EventType>(
  db: Database,
  teamId: string,
  types: readonly Type[],
  { since, until }: { since: Date; until: Date },
): Promise<Record<Type, number>> {
  const { rows } = await sql<{ type: Type; events: number }>`
    select type, count(*)::int as events from events
    where team_id = ${teamId} and id >= ${idBefore(since)}::uuid and id < ${idBefore(until)}::uuid
      and type = any(${types}::text[])
    group by type`.execute(db);
  const counts = new Map(rows.map(({ type, events }) => [type, events]));
  return Object.fromEntries(types.map((type) => [type, counts.get(type) ?? 0])) as Record<Type, number>;
}
