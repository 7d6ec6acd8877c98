import { createHash } from 'node:crypto';
import { lockBotOfScope } from '../../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { type CaseRow, selectEnabledCases, selectTeamOfBot } from '../cases/cases.queries.ts';
import type { Gate } from '../gate/gate.schemas.ts';
import {
  countOpenRuns,
  deleteOldRuns,
  insertRun,
  type NewRun,
  type RunRow,
  selectResults,
  selectRun,
  selectRuns,
} from './runs.queries.ts';
import {
  type CreateRun,
  defaultRecentCount,
  type ListResults,
  type ListRuns,
  type Run,
  type RunResult,
} from './runs.schemas.ts';

/** Of a bot. */
const maxOpenRuns = 3;
const keptRuns = 100;
const maxAttempts = 5;

export interface RunPayload {
  runId: string;
}
export const runJobName = 'run-cases';

/** Throws `bot_not_found` (404), `bot_not_published` and `too_many_runs`. */
export async function createRun(
  tx: Transaction,
  actor: Actor,
  botId: string,
  { version = 'draft', baseline = null, sources = ['cases'], recent_count = defaultRecentCount }: CreateRun,
): Promise<Run> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  if ((version === 'published' || baseline !== null) && !bot.is_published)
    throw badRequest(
      'bot_not_published',
      'The bot has no published version; publish it, or run the draft alone',
    );
  const digest = await digestOf(tx, bot.id, { sources, recent_count });
  const row = await startRun(tx, {
    id: newId(),
    team_id: bot.team_id,
    bot_id: bot.id,
    version,
    baseline,
    sources,
    recent_count,
    digest,
    draft_revision: bot.draft_revision,
  });
  return presentRun(row);
}

/** The caller holds the lock of the bot. */
export async function startRun(tx: Transaction, run: NewRun): Promise<RunRow> {
  if ((await countOpenRuns(tx, run.bot_id)) >= maxOpenRuns)
    throw badRequest('too_many_runs', `${maxOpenRuns} runs of the bot have not ended; wait until one has`, {
      limit: maxOpenRuns,
    });
  const row = await insertRun(tx, run);
  await deleteOldRuns(tx, run.bot_id, keptRuns);
  await enqueueJob(tx, runJobName, { runId: row.id } satisfies RunPayload, { maxAttempts });
  const after = { bot_id: run.bot_id, version: run.version, sources: run.sources };
  await recordAudit(tx, { objectType: 'run', objectId: row.id, teamId: run.team_id, after });
  return row;
}

/** Equal only for the same enabled cases and questions. */
export async function digestOf(
  tx: Transaction,
  botId: string,
  { sources, recent_count }: Pick<Gate, 'sources' | 'recent_count'>,
): Promise<string> {
  const cases = await selectEnabledCases(tx, botId);
  const content = cases.map(({ id, messages, checks }: CaseRow) => [id, messages, checks]);
  const text = JSON.stringify([
    [...sources].sort(),
    sources.includes('recent') ? recent_count : null,
    content,
  ]);
  return createHash('sha256').update(text).digest('base64url');
}

export async function listRuns(
  db: Database,
  { scope }: Actor,
  botId: string,
  query: ListRuns,
): Promise<{ runs: Run[]; total: number }> {
  if ((await selectTeamOfBot(db, scope, botId)) === undefined) throw notFound('bot');
  const { rows, total } = await selectRuns(db, botId, query);
  return { runs: rows.map(presentRun), total };
}

export async function getRun(db: Database, { scope }: Actor, id: string): Promise<Run> {
  const row = await selectRun(db, scope, id);
  if (row === undefined) throw notFound('run');
  return presentRun(row);
}

export async function listResults(
  db: Database,
  { scope }: Actor,
  id: string,
  query: ListResults,
): Promise<{ results: RunResult[]; total: number }> {
  if ((await selectRun(db, scope, id)) === undefined) throw notFound('run');
  const { rows, total } = await selectResults(db, id, query);
  const results = rows.map(({ result, is_changed, is_worse, ...row }) => ({
    ...row,
    changed: is_changed,
    worse: is_worse,
    ...result,
  }));
  return { results, total };
}

const presentRun = (row: RunRow): Run => ({
  id: row.id,
  bot_id: row.bot_id,
  version: row.version,
  baseline: row.baseline,
  sources: row.sources,
  state: row.state,
  error: row.error,
  progress: row.state === 'finished' ? 1 : row.done / Math.max(1, row.questions),
  total: row.questions,
  passed: row.passed,
  failed: row.failed,
  warned: row.warned,
  changed: row.changed,
  worse: row.worse,
  cost: row.cost,
  results_url: `/api/openapi/v1/runs/${row.id}/results`,
  created_at: timestamp(row.created_at),
  finished_at: timestampOrNull(row.finished_at),
});
