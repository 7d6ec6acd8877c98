import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** A table with `id` and `created_at`, newest first. It needs an index for its order and filters. */
interface List {
  table: string;
  columns: readonly string[];
  where: RawBuilder<unknown>;
}

interface Stretch {
  limit: number;
  offset: number;
  /** The last item of the page before. Replaces the offset. */
  after?: { time: Date; id: string } | null;
}

/** The columns by which a list is sorted, newest first. */
interface CursorColumns {
  time: string;
  id: string;
}

const isAfter = ({ after }: Stretch, columns: CursorColumns = { time: 'created_at', id: 'id' }) =>
  after === undefined || after === null
    ? sql`true`
    : sql`(${sql.ref(columns.time)}, ${sql.ref(columns.id)}) < (${after.time}::timestamptz, ${after.id}::uuid)`;

/** Returns the conditions of `since` (inclusive) and `until` (exclusive) on `column`. */
export const isWithin = (
  column: string,
  { since, until }: { since?: string; until?: string },
): RawBuilder<unknown>[] => [
  ...(since === undefined ? [] : [sql`${sql.ref(column)} >= ${since}::timestamptz`]),
  ...(until === undefined ? [] : [sql`${sql.ref(column)} < ${until}::timestamptz`]),
];

export interface ListPage<Row> {
  rows: Row[];
  total: number;
}

/** Reads a page in index order from the nearer end. Compute `total` from counters where counting is expensive. */
export function selectCountedPage<Row>(
  db: Database,
  list: List & { total: RawBuilder<unknown> },
  stretch: Stretch,
): Promise<ListPage<Row>> {
  const limit = sql`${stretch.limit}::bigint`;
  const offset = sql`${stretch.offset}::bigint`;
  const total = sql`(select total from counted)`;
  const ids = sql`select id from ${sql.table(list.table)} where ${list.where} and ${isAfter(stretch)}`;
  return readPage(
    db,
    list,
    sql`
    counted as materialized (select (${list.total})::bigint as total),
    page as (
      (${ids} and ${total} >= 2 * ${offset} order by created_at desc, id desc limit ${limit} offset ${offset})
      union all
      (${ids} and ${total} < 2 * ${offset} order by created_at, id
       limit greatest(least(${limit}, ${total} - ${offset}), 0) offset greatest(${total} - ${offset} - ${limit}, 0)))`,
  );
}

/**
 * Reads a page in index order, and counts `mostCounted` matches at most, because counting millions takes seconds. Pages end there, too, and
 * only `after` leads beyond.
 */
export function selectNewestPage<Row>(
  db: Database,
  list: List,
  stretch: Stretch,
  mostCounted: number,
): Promise<ListPage<Row>> {
  const matches = sql`from ${sql.table(list.table)} where ${list.where}`;
  const left = Math.min(stretch.limit, Math.max(mostCounted - stretch.offset, 0));
  const offset = Math.min(stretch.offset, mostCounted);
  return readPage(
    db,
    list,
    sql`
    counted as (select count(*) as total from (select ${matches} limit ${mostCounted}) as matches),
    page as (
      select id ${matches} and ${isAfter(stretch)}
      order by created_at desc, id desc limit ${left} offset ${offset})`,
  );
}

/** Reads a page of a list that no index orders. Visits every match once, for the total and the page. */
export function selectMatchingPage<Row>(db: Database, list: List, stretch: Stretch): Promise<ListPage<Row>> {
  return readPage(
    db,
    list,
    sql`
    match as materialized (select created_at, id from ${sql.table(list.table)} where ${list.where}),
    counted as (select count(*) as total from match),
    page as (
      select id from match where ${isAfter(stretch)}
      order by created_at desc, id desc limit ${stretch.limit} offset ${stretch.offset})`,
  );
}

/** `from` ends with conditions. With `cursorColumns`, the list accepts `after` and must be sorted by them. */
export async function selectPage<Row>(
  db: Database,
  {
    columns,
    from,
    order,
    cursorColumns,
  }: Record<'columns' | 'from' | 'order', RawBuilder<unknown>> & { cursorColumns?: CursorColumns },
  stretch: Stretch,
): Promise<ListPage<Row>> {
  const rest = cursorColumns === undefined ? sql`` : sql`and ${isAfter(stretch, cursorColumns)}`;
  const { rows } = await sql<Row & { place: number | null; total: number }>`
    select counted.total, page.*
    from (select count(*) as total from ${from}) as counted left join (
      select row_number() over (order by ${order}) as place, ${columns} from ${from} ${rest}
      order by ${order} limit ${stretch.limit} offset ${stretch.offset}) as page on true
    order by page.place`.execute(db);
  return { rows: rows.filter(({ place }) => place !== null), total: rows[0]?.total ?? 0 };
}

/** The lateral join and `offset 0` keep the planner from scanning the table for the few rows of `page`. */
async function readPage<Row>(
  db: Database,
  { table, columns }: List,
  definitions: RawBuilder<unknown>,
): Promise<ListPage<Row>> {
  const { rows } = await sql<Row & { id: string | null; total: number }>`
    with ${definitions}
    select counted.total, listed.*
    from counted left join (page cross join lateral (
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)} as t
      where t.id = page.id offset 0) as listed) on true
    order by listed.created_at desc, listed.id desc`.execute(db);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}
