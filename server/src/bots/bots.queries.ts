import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { containsText } from '../database/filters.ts';
import { type ListPage, selectCountedPage, selectMatchingPage } from '../database/list-pages.ts';
import { inScope } from '../database/scopes.ts';
import type { Scope } from '../http/actor.ts';
import { pageRange } from '../http/pagination.ts';
import type { ListBots } from './bots.schemas.ts';

/** A live bot without its lists. */
export interface BotRow {
  id: string;
  team_id: string;
  name: string;
  role: string;
  description: string;
  instructions: string;
  identification_name: string;
  temperature: number;
  chat_model_level: number;
  allow_human: boolean;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  break_lines: boolean;
  ai_provider_id: string;
  vector_id: string;
  published: boolean;
  created_at: Date;
  updated_at: Date;
}

export interface BotOwner {
  teamId: string;
  botId: string;
}

/** Where a bot's assistant and knowledge store are at the provider. */
export interface ProviderRefs {
  assistant: string;
  knowledge: string;
}

const botColumns = [
  'id',
  'team_id',
  'name',
  'role',
  'description',
  'instructions',
  'identification_name',
  'temperature',
  'chat_model_level',
  'allow_human',
  'use_audio_responses',
  'allow_user_audio_requests',
  'capture_payments',
  'break_lines',
  'ai_provider_id',
  'vector_id',
  'published',
  'created_at',
  'updated_at',
] as const;

export function selectBots(db: Database, scope: Scope, query: ListBots): Promise<ListPage<BotRow>> {
  const { team_id, name, published } = query;
  const conditions = [
    sql`state = 'live'`,
    ...(scope.kind === 'team' ? [sql`team_id = ${scope.teamId}`] : []),
    ...(team_id === undefined ? [] : [sql`team_id = ${team_id}`]),
    ...(name === undefined ? [] : [containsText(sql.ref('name'), name)]),
    ...(published === undefined ? [] : [sql`published = ${published}`]),
  ];
  const where = sql.join(conditions, sql` and `);
  const list = { table: 'bots', columns: botColumns, where };
  if (name !== undefined) return selectMatchingPage(db, list, pageRange(query));
  const total = sql`select count(*) from bots where ${where}`;
  return selectCountedPage(db, { ...list, total }, pageRange(query));
}

/**
 * Locks a live bot against every other change of it, its team first: in the order in which deleting the team takes them.
 * Undefined when the scope does not see one.
 */
export function lockBot(tx: Transaction, scope: Scope, id: string): Promise<BotRow | undefined> {
  return tx
    .selectFrom('bots')
    .innerJoin('teams', 'teams.id', 'bots.team_id')
    .select(botColumns.map((column) => `bots.${column}` as const))
    .where('bots.id', '=', id)
    .where('bots.state', '=', 'live')
    .where(inScope(scope, 'bots.team_id'))
    .forKeyShare('teams')
    .forUpdate('bots')
    .$narrowType<BotRow>()
    .executeTakeFirst();
}

export async function selectDeviceIds(tx: Transaction, botId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('devices')
    .select('id')
    .where('bot_id', '=', botId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Removes a bot, live or intended, and gives its place in the quota back. Nothing when it is gone already. */
export async function deleteBotRow(tx: Transaction, { teamId, botId }: BotOwner): Promise<void> {
  await tx.selectFrom('teams').select('id').where('id', '=', teamId).forKeyShare().execute();
  await lockDocumentsOfBots(tx, [botId]);
  await sql`
    with gone as (delete from bots where id = ${botId} returning team_id)
    update team_usage set bots = team_usage.bots - 1 from gone where team_usage.team_id = gone.team_id`.execute(
    tx,
  );
}

/**
 * Holds the documents of bots that are to be removed: a document and a bot that are removed at once both remove what joins
 * them and count their team's things, and would each hold what the other one waits for.
 */
export async function lockDocumentsOfBots(tx: Transaction, botIds: readonly string[]): Promise<void> {
  await sql`
    select from documents where id in (
      select document_id from bot_documents where bot_id = any(${botIds}::uuid[])
      union all
      select document_id from bot_version_documents where bot_id = any(${botIds}::uuid[]))
    order by id for key share`.execute(tx);
}
