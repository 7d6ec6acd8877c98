import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import type {
  ListResults,
  ListRuns,
  Outcome,
  RunResult,
  RunSource,
  RunState,
  RunVersion,
} from './runs.schemas.ts';

export interface RunRow {
  id: string;
  team_id: string;
  bot_id: string;
  version: RunVersion;
  baseline: 'published' | null;
  sources: RunSource[];
  recent_count: number;
  draft_revision: number;
  digest: string;
  state: RunState;
  error: string | null;
  questions: number;
  done: number;
  passed: number;
  failed: number;
  warned: number;
  changed: number;
  worse: number;
  cost: number | null;
  created_at: Date;
  finished_at: Date | null;
}

const columns = sql`id, team_id, bot_id, version, baseline, sources, recent_count, draft_revision, digest, state, error, questions,
  done, passed, failed, warned, changed, worse, cost, created_at, finished_at`;

export const selectRuns = (db: Database, botId: string, query: ListRuns): Promise<ListPage<RunRow>> =>
  selectPage(
    db,
    {
      columns,
      from: sql`bot_runs where ${sql.join([sql`bot_id = ${botId}`, ...isWithin('created_at', query)], sql` and `)}`,
      order: sql`created_at desc, id desc`,
      cursorColumns: { time: 'created_at', id: 'id' },
    },
    pageRange(query),
  );

export async function selectRun(db: Database, scope: Scope, id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${columns} from bot_runs where id = ${id} and ${inScope(scope, 'team_id')}`.execute(db);
  return rows[0];
}

export type NewRun = Pick<
  RunRow,
  | 'id'
  | 'team_id'
  | 'bot_id'
  | 'version'
  | 'baseline'
  | 'sources'
  | 'recent_count'
  | 'draft_revision'
  | 'digest'
>;

export async function insertRun(tx: Transaction, run: NewRun): Promise<RunRow> {
  const { rows } = await sql<RunRow>`
    insert into bot_runs (id, team_id, bot_id, version, baseline, sources, recent_count, draft_revision, digest, created_at)
    values (${run.id}, ${run.team_id}, ${run.bot_id}, ${run.version}, ${run.baseline}, ${run.sources}, ${run.recent_count},
            ${run.draft_revision}, ${run.digest}, clock_timestamp())
    returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the insert returned no row');
  return row;
}

const isOpen = sql<SqlBool>`state in ('waiting', 'running')`;

/** Of the same state of the draft, the cases and the gate. The newest one within the time. */
export async function selectGateRun(
  tx: Transaction,
  { botId, draftRevision, digest }: { botId: string; draftRevision: number; digest: string },
  withinHours: number,
): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${columns} from bot_runs
    where bot_id = ${botId} and version = 'draft' and draft_revision = ${draftRevision} and digest = ${digest}
      and state <> 'failed' and created_at > now() - make_interval(hours => ${withinHours})
    order by created_at desc limit 1`.execute(tx);
  return rows[0];
}

export async function countOpenRuns(tx: Transaction, botId: string): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from bot_runs where bot_id = ${botId} and ${isOpen}`.execute(tx);
  return rows[0]?.runs ?? 0;
}

/** Keeps the newest runs of a bot. Their results go with the others. */
export async function deleteOldRuns(tx: Transaction, botId: string, kept: number): Promise<void> {
  await sql`
    delete from bot_runs where bot_id = ${botId} and id in (
      select id from bot_runs where bot_id = ${botId} order by created_at desc, id desc offset ${kept})`.execute(
    tx,
  );
}

/** Returns the run if it is not at its end. A repeated attempt continues it. */
export async function beginRun(db: Database, id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    update bot_runs set state = 'running' where id = ${id} and ${isOpen} returning ${columns}`.execute(db);
  return rows[0];
}

export async function selectDonePositions(db: Database, runId: string): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`
    select position from bot_run_results where run_id = ${runId}`.execute(db);
  return rows.map(({ position }) => position);
}

export interface NewResult extends Omit<RunResult, 'outcome'> {
  outcome: Outcome;
  cost: number | null;
}

/** Stores a result once. Does nothing if the run or the conversation is gone, or another attempt was faster. */
export async function insertResult(
  db: Database,
  { run, questions }: { run: Pick<RunRow, 'id' | 'team_id'>; questions: number },
  result: NewResult,
): Promise<void> {
  const { position, case_id, conversation_id, name, outcome, changed, worse, cost, ...shown } = result;
  const stored = { old: shown.old, new: shown.new, reasons: shown.reasons };
  await sql`
    with stored as (
      insert into bot_run_results (run_id, team_id, position, case_id, conversation_id, name, outcome, is_changed, is_worse,
                                   cost, result)
      select r.id, r.team_id, ${position}::int, ${case_id}::uuid, ${conversation_id}::uuid, ${name}, ${outcome}, ${changed}::bool,
             ${worse}::bool, ${cost}::float8, ${JSON.stringify(stored)}::jsonb
      from bot_runs r where r.id = ${run.id} for key share
      on conflict do nothing returning 1)
    update bot_runs set done = done + 1, questions = ${questions} where id = ${run.id} and exists (select from stored)`.execute(
    db,
  );
}

/** Returns the run with its counts. */
export async function finishRun(
  tx: Transaction,
  id: string,
  end: { state: 'finished' | 'failed'; error: string | null; questions: number },
): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    update bot_runs r set state = ${end.state}, error = ${end.error}, questions = ${end.questions}, done = c.done, passed = c.passed,
      failed = c.failed, warned = c.warned, changed = c.changed, worse = c.worse, cost = c.cost, finished_at = now()
    from (select count(*)::int as done,
                 count(*) filter (where outcome = 'passed')::int as passed,
                 count(*) filter (where outcome = 'failed')::int as failed,
                 count(*) filter (where outcome = 'warned')::int as warned,
                 count(*) filter (where is_changed)::int as changed,
                 count(*) filter (where is_worse)::int as worse,
                 case when count(*) = count(cost) then coalesce(sum(cost), 0) end as cost
          from bot_run_results where run_id = ${id}) c
    where r.id = ${id} and r.${isOpen} returning ${sql.raw('r.*')}`.execute(tx);
  return rows[0];
}

interface ResultRow {
  position: number;
  case_id: string | null;
  conversation_id: string | null;
  name: string;
  outcome: Outcome;
  is_changed: boolean;
  is_worse: boolean;
  result: Pick<RunResult, 'old' | 'new' | 'reasons'>;
}

export const selectResults = (
  db: Database,
  runId: string,
  query: ListResults,
): Promise<ListPage<ResultRow>> => {
  const { outcome, changed, worse } = query;
  const conditions = [
    sql`run_id = ${runId}`,
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(changed === undefined ? [] : [sql`is_changed = ${changed}`]),
    ...(worse === undefined ? [] : [sql`is_worse = ${worse}`]),
  ];
  return selectPage(
    db,
    {
      columns: sql`position, case_id, conversation_id, name, outcome, is_changed, is_worse, result`,
      from: sql`bot_run_results where ${sql.join(conditions, sql` and `)}`,
      order: sql`position`,
    },
    pageRange(query),
  );
};
