import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { type Cursor, isAfter, type Position } from './cursor.ts';
import { dataBytes, watermark } from './events.sql.ts';

export interface EventRow extends Position {
  id: string;
  type: string;
  team_id: string | null;
  data: object;
  created_at: Date;
}

export interface EventFilter {
  teamId?: string | undefined;
  types?: readonly string[] | undefined;
}

const columns = sql`e.id, e.xid, e.seq::text as seq, e.type, e.team_id, e.data, e.created_at`;

const isBehind = ({ xid, seq }: Position) => sql`(e.xid, e.seq) > (${xid}::xid8, ${seq}::bigint)`;

const hasType = ({ types }: EventFilter): RawBuilder<unknown> =>
  types === undefined ? sql`true` : sql`e.type = any(${types}::text[])`;

export interface EventPage {
  rows: EventRow[];
  /** The position to continue from. */
  reached: Position;
  /** More events can follow at once, because the page has its maximum number of events or bytes. */
  isFull: boolean;
  now: Date;
}

/** Returns events in order, at most `limit`. The event whose data reaches `maxBytes` ends the page: contacts choose the length. */
export async function selectEvents(
  db: Database,
  scope: Scope,
  filter: EventFilter,
  { after, limit, maxBytes }: { after: Position; limit: number; maxBytes: number },
): Promise<EventPage> {
  const { rows } = await sql<Partial<EventRow> & { watermark: string; now: Date; page_bytes: string }>`
    select mark.*, page.*
    from (select ${watermark} as watermark, clock_timestamp() as now) mark left join lateral (
      select * from (
        select ${columns}, sum(${dataBytes}) over (order by e.xid, e.seq rows unbounded preceding) as page_bytes,
               ${dataBytes} as data_bytes
        from events e
        where ${isBehind(after)} and e.xid < mark.watermark and ${inScope(scope, 'e.team_id')} and ${hasType(filter)}
          and ${filter.teamId === undefined ? sql`true` : sql`e.team_id = ${filter.teamId}::uuid`}
        order by e.xid, e.seq limit ${limit}
      ) e where page_bytes - data_bytes < ${maxBytes}
    ) page on true order by page.xid, page.seq::bigint`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error('the database returned no watermark');
  const found = rows.filter((row): row is EventRow & typeof row => row.id !== undefined && row.id !== null);
  const last = found.at(-1);
  const isFull = last !== undefined && (found.length === limit || Number(last.page_bytes) >= maxBytes);
  const end = { xid: first.watermark, seq: '0' };
  // A transaction of another database counts as running again once it is prepared for a commit in two phases.
  const reached = isFull ? last : isAfter(after, end) ? after : end;
  return { rows: found, reached, isFull, now: first.now };
}

/** Returns the incarnation of the event log and the position behind all committed events. */
export async function selectLogState(db: Database): Promise<{ incarnation: string; xid: string; now: Date }> {
  const { rows } = await sql<{ incarnation: string; xid: string; now: Date }>`
    select incarnation, ${watermark} as xid, clock_timestamp() as now from event_log`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the row of event_log is missing');
  return row;
}

/** A statement and its transaction take at most this long, so that events near a cursor may be that much newer. */
const longestTransaction = sql`interval '5 minutes'`;

/** False for a position that this database has not reached, or had not reached at the cursor's time. */
export async function isKnownPosition(db: Database, { xid, seq, at }: Cursor): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select ${xid}::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) and not coalesce((
      select e.created_at > to_timestamp(${at}::float8 / 1000) + ${longestTransaction} from events e
      where (e.xid, e.seq) <= (${xid}::xid8, ${seq}::bigint) order by e.xid desc, e.seq desc limit 1), false) as known`.execute(
    db,
  );
  return rows[0]?.known === true;
}
