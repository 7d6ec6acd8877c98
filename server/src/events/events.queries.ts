import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { inScope, type Scope } from '../database/scopes.ts';
import type { Cursor, Position } from './cursor.ts';

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

const isAfter = ({ xid, seq }: Position) => sql`(e.xid, e.seq) > (${xid}::xid8, ${seq}::bigint)`;

/** Transactions before this one have all ended, so nothing can appear before it any more. */
const watermark = sql`pg_snapshot_xmin(pg_current_snapshot())`;

const hasType = ({ types }: EventFilter): RawBuilder<unknown> =>
  types === undefined ? sql`true` : sql`e.type = any(${types}::text[])`;

/** Returns events in order. `reached` is the position to continue from if fewer than `limit` were found. */
export async function selectEvents(
  db: Database,
  scope: Scope,
  filter: EventFilter,
  { after, limit }: { after: Position; limit: number },
): Promise<{ rows: EventRow[]; reached: Position; now: Date }> {
  const { rows } = await sql<Partial<EventRow> & { watermark: string; now: Date }>`
    select mark.xmin as watermark, mark.now, page.*
    from (select ${watermark} as xmin, clock_timestamp() as now) mark left join lateral (
      select ${columns} from events e
      where ${isAfter(after)} and e.xid < ${watermark} and ${inScope(scope, 'e.team_id')} and ${hasType(filter)}
        and ${filter.teamId === undefined ? sql`true` : sql`e.team_id = ${filter.teamId}::uuid`}
      order by e.xid, e.seq limit ${limit}
    ) page on true order by page.xid, page.seq::bigint`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error('the database returned no watermark');
  const found = rows.filter((row): row is EventRow & typeof row => row.id !== undefined && row.id !== null);
  return { rows: found, reached: { xid: first.watermark, seq: '0' }, now: first.now };
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
