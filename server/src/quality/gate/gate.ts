import { lockBotOfScope } from '../../knowledge/bots/bots.sql.ts';
import type { CheckGate } from '../../knowledge/bots/publish.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { MessageData } from '../../platform/http/operation.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { selectTeamOfBot } from '../cases/cases.queries.ts';
import { type RunRow, selectGateRun } from '../runs/runs.queries.ts';
import { defaultRecentCount } from '../runs/runs.schemas.ts';
import { digestOf, startRun } from '../runs/runs.ts';
import { deleteGateRow, type GateRow, selectGate, upsertGate } from './gate.queries.ts';
import type { BotGate, PutGate } from './gate.schemas.ts';

/** A passed run counts this long. */
const validHours = 24;

export async function getGate(db: Database, { scope }: Actor, botId: string): Promise<BotGate> {
  if ((await selectTeamOfBot(db, scope, botId)) === undefined) throw notFound('bot');
  return presentGate(await selectGate(db, botId));
}

/** Throws `bot_not_found` (404) and `changed_meanwhile`. */
export async function putGate(
  tx: Transaction,
  actor: Actor,
  botId: string,
  input: PutGate,
): Promise<BotGate> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const known = presentGate(await selectGate(tx, bot.id));
  requireUnchanged(input, { ...known.gate, updated_at: known.updated_at });
  const { expected_updated_at: _, recent_count = defaultRecentCount, ...gate } = input;
  const row = await upsertGate(tx, { teamId: bot.team_id, botId: bot.id }, { ...gate, recent_count });
  const after = { ...gate, recent_count };
  await recordAudit(tx, { objectType: 'gate', objectId: bot.id, teamId: bot.team_id, after });
  return presentGate(row);
}

export async function deleteGate(tx: Transaction, actor: Actor, botId: string): Promise<MessageData> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  await deleteGateRow(tx, bot.id);
  await recordAudit(tx, {
    objectType: 'gate',
    objectId: bot.id,
    teamId: bot.team_id,
    after: { deleted: true },
  });
  return { message: 'The gate was deleted' };
}

const presentGate = (row: GateRow | undefined): BotGate =>
  row === undefined
    ? { gate: null, updated_at: null }
    : {
        gate: { ...row, updated_at: timestamp(row.updated_at) },
        updated_at: timestamp(row.updated_at),
      };

/** Those who may publish although the gate is closed. Null: a key with all rights. */
const overriding: ReadonlySet<string | null> = new Set([null, 'owner', 'admin']);

/**
 * Returns the function that refuses to publish a draft that its gate does not let pass: `gate_running` while a run of it has not
 * ended, which it starts if there is none, and `gate_failed`. An owner may override with a reason.
 */
export const createGateCheck =
  (db: Database): CheckGate =>
  async (actor, { botId, draftRevision, overrideReason }) => {
    const refusal = await db.transaction().execute(async (tx) => {
      const bot = await lockBotOfScope(tx, actor.scope, botId);
      const gate = bot && (await selectGate(tx, bot.id));
      if (bot === undefined || gate === undefined) return null;
      if (overrideReason !== null) {
        if (!overriding.has(actor.role))
          return badRequest('override_forbidden', 'Only an owner may publish although the gate is closed');
        const after = { bot_id: bot.id, override_reason: overrideReason };
        await recordAudit(tx, { objectType: 'gate', objectId: bot.id, teamId: bot.team_id, after });
        return null;
      }
      const digest = await digestOf(tx, bot.id, gate);
      const found = await selectGateRun(tx, { botId: bot.id, draftRevision, digest }, validHours);
      const { sources, recent_count } = gate;
      const run =
        found ??
        (await startRun(tx, {
          id: newId(),
          team_id: bot.team_id,
          bot_id: bot.id,
          version: 'draft',
          sources,
          recent_count,
          baseline: bot.is_published ? 'published' : null,
          draft_revision: draftRevision,
          digest,
        }));
      return describeRefusal(gate, run);
    });
    if (refusal !== null) throw refusal;
  };

function describeRefusal(gate: GateRow, run: RunRow) {
  if (run.state !== 'finished')
    return badRequest(
      'gate_running',
      'The gate of the bot is being checked; publish again when the run has ended',
      {
        run_id: run.id,
      },
    );
  const { passed, failed, warned, worse } = run;
  const share = (passed + warned) / Math.max(1, passed + warned + failed);
  if (share >= gate.min_pass && worse <= gate.max_worse) return null;
  return badRequest(
    'gate_failed',
    `The gate of the bot is closed: ${failed} of ${passed + warned + failed} failed and ${worse} are worse than before; mend the draft, or let an owner publish with an override_reason`,
    { run_id: run.id },
  );
}
