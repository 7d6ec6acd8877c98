import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import type { RunSource } from '../runs/runs.schemas.ts';

export interface GateRow {
  min_pass: number;
  max_worse: number;
  sources: RunSource[];
  recent_count: number;
  updated_at: Date;
}

const columns = sql`min_pass, max_worse, sources, recent_count, updated_at`;

export async function selectGate(db: Database | Transaction, botId: string): Promise<GateRow | undefined> {
  const { rows } = await sql<GateRow>`select ${columns} from bot_gates where bot_id = ${botId}`.execute(db);
  return rows[0];
}

/** The caller holds the lock of the bot. */
export async function upsertGate(
  tx: Transaction,
  { teamId, botId }: { teamId: string; botId: string },
  gate: Omit<GateRow, 'updated_at'>,
): Promise<GateRow> {
  const { rows } = await sql<GateRow>`
    insert into bot_gates as g (bot_id, team_id, min_pass, max_worse, sources, recent_count)
    values (${botId}, ${teamId}, ${gate.min_pass}, ${gate.max_worse}, ${gate.sources}, ${gate.recent_count})
    on conflict (bot_id) do update set min_pass = excluded.min_pass, max_worse = excluded.max_worse, sources = excluded.sources,
      recent_count = excluded.recent_count, updated_at = ${nextUpdate('g.updated_at')}
    returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the insert returned no row');
  return row;
}

export async function deleteGateRow(tx: Transaction, botId: string): Promise<void> {
  await sql`delete from bot_gates where bot_id = ${botId}`.execute(tx);
}
