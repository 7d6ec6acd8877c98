import { sql } from 'kysely';
import { liveBot } from '../../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import type { Case, Check, ListCases } from './cases.schemas.ts';

export interface CaseRow {
  id: string;
  bot_id: string;
  name: string;
  messages: Case['messages'];
  checks: Check[];
  origin: Case['origin'];
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`id, bot_id, name, messages, checks, origin, enabled, created_at, updated_at`;

/** Returns the team of a live bot within the scope. */
export async function selectTeamOfBot(
  db: Database | Transaction,
  scope: Scope,
  botId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ team_id: string }>`select b.team_id from ${liveBot(scope, botId)}`.execute(db);
  return rows[0]?.team_id;
}

export const selectCases = (db: Database, botId: string, query: ListCases): Promise<ListPage<CaseRow>> =>
  selectPage(
    db,
    {
      columns,
      from: sql`bot_cases where ${sql.join([sql`bot_id = ${botId}`, ...isWithin('created_at', query)], sql` and `)}`,
      order: sql`created_at desc, id desc`,
      cursorColumns: { time: 'created_at', id: 'id' },
    },
    pageRange(query),
  );

/** Those that runs use, oldest first. */
export async function selectEnabledCases(db: Database | Transaction, botId: string): Promise<CaseRow[]> {
  const { rows } = await sql<CaseRow>`
    select ${columns} from bot_cases where bot_id = ${botId} and enabled order by created_at, id`.execute(db);
  return rows;
}

/** The caller holds the lock of the bot, so that the count holds. */
export async function countCases(tx: Transaction, botId: string): Promise<number> {
  const { rows } = await sql<{ cases: number }>`
    select count(*)::int as cases from bot_cases where bot_id = ${botId}`.execute(tx);
  return rows[0]?.cases ?? 0;
}

export async function insertCase(
  tx: Transaction,
  teamId: string,
  { id, bot_id, name, messages, checks, origin, enabled }: Omit<CaseRow, 'created_at' | 'updated_at'>,
): Promise<CaseRow> {
  const { rows } = await sql<CaseRow>`
    insert into bot_cases (id, team_id, bot_id, name, messages, checks, origin, enabled, created_at)
    values (${id}, ${teamId}, ${bot_id}, ${name}, ${JSON.stringify(messages)}::jsonb, ${JSON.stringify(checks)}::jsonb,
            ${origin}, ${enabled}, clock_timestamp())
    returning ${columns}`.execute(tx);
  return requireRow(rows);
}

export type CaseName = Pick<CaseRow, 'id' | 'name' | 'origin'>;

export async function selectCaseNames(tx: Transaction, botId: string): Promise<CaseName[]> {
  const { rows } =
    await sql<CaseName>`select id, name, origin from bot_cases where bot_id = ${botId}`.execute(tx);
  return rows;
}

/** A case whose id exists gets the new content. Keeps the order of `cases`. */
export async function upsertCases(
  tx: Transaction,
  { teamId, botId }: { teamId: string; botId: string },
  cases: readonly Pick<CaseRow, 'id' | 'name' | 'messages' | 'checks' | 'origin' | 'enabled'>[],
): Promise<void> {
  await sql`
    insert into bot_cases as c (id, team_id, bot_id, name, messages, checks, origin, enabled, created_at)
    select id, ${teamId}, ${botId}, name, messages, checks, origin, enabled, clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(cases)}::jsonb)
           as given (id uuid, name text, messages jsonb, checks jsonb, origin text, enabled boolean)
    on conflict (id) do update set messages = excluded.messages, checks = excluded.checks, enabled = excluded.enabled,
      updated_at = ${nextUpdate('c.updated_at')}
    where (c.messages, c.checks, c.enabled) is distinct from (excluded.messages, excluded.checks, excluded.enabled)`.execute(
    tx,
  );
}

export async function selectCase(db: Database, botId: string, id: string): Promise<CaseRow | undefined> {
  const { rows } = await sql<CaseRow>`
    select ${columns} from bot_cases where bot_id = ${botId} and id = ${id}`.execute(db);
  return rows[0];
}

export async function lockCase(tx: Transaction, botId: string, id: string): Promise<CaseRow | undefined> {
  const { rows } = await sql<CaseRow>`
    select ${columns} from bot_cases where bot_id = ${botId} and id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function updateCaseRow(
  tx: Transaction,
  { id, name, messages, checks, enabled }: Pick<CaseRow, 'id' | 'name' | 'messages' | 'checks' | 'enabled'>,
): Promise<CaseRow> {
  const { rows } = await sql<CaseRow>`
    update bot_cases set name = ${name}, messages = ${JSON.stringify(messages)}::jsonb,
      checks = ${JSON.stringify(checks)}::jsonb, enabled = ${enabled}, updated_at = ${nextUpdate('updated_at')}
    where id = ${id} returning ${columns}`.execute(tx);
  return requireRow(rows);
}

export async function deleteCaseRow(tx: Transaction, id: string): Promise<void> {
  await sql`delete from bot_cases where id = ${id}`.execute(tx);
}

function requireRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}
