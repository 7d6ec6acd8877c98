import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { containsText } from '../../platform/database/filters.ts';
import {
  isWithin,
  type ListPage,
  selectCountedPage,
  selectMatchingPage,
} from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { joinTeam, lockTeamShared } from '../../tenancy/teams/teams.sql.ts';
import { refundBots } from '../../tenancy/usage/usage.sql.ts';
import { lockSelectedDocumentsShared } from '../documents/documents.sql.ts';
import type { ListBots } from './bots.schemas.ts';

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
  live_version: number | null;
  created_at: Date;
  updated_at: Date;
}

export interface BotOwner {
  teamId: string;
  botId: string;
}

export interface ProviderRefs {
  assistant: string;
  knowledge: string;
}

export const botColumns = [
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
  'live_version',
  'created_at',
  'updated_at',
] as const;

export function selectBots(db: Database, scope: Scope, query: ListBots): Promise<ListPage<BotRow>> {
  const { team_id, name, published, document_id } = query;
  const conditions = [
    sql`state = 'live'`,
    ...(scope.kind === 'team' ? [sql`team_id = ${scope.teamId}`] : []),
    ...(team_id === undefined ? [] : [sql`team_id = ${team_id}`]),
    ...(name === undefined ? [] : [containsText(sql.ref('name'), name)]),
    ...(published === undefined ? [] : [sql`published = ${published}`]),
    ...(document_id === undefined ? [] : [usesDocument(document_id)]),
    ...isWithin('created_at', query),
  ];
  const where = sql.join(conditions, sql` and `);
  const list = { table: 'bots', columns: botColumns, where };
  if (name !== undefined || document_id !== undefined) return selectMatchingPage(db, list, pageRange(query));
  const total = sql`select count(*) from bots where ${where}`;
  return selectCountedPage(db, { ...list, total }, pageRange(query));
}

const usesDocument = (id: string) => sql`id in (
  select bot_id from bot_documents where document_id = ${id}
  union all
  select v.bot_id from bot_version_documents v join bots b on b.id = v.bot_id and b.live_version = v.version
  where v.document_id = ${id})`;

/** Locks the team before the bot, like the deletion of a team. Returns undefined if the bot is not live or outside the scope. */
export async function lockBot(tx: Transaction, scope: Scope, id: string): Promise<BotRow | undefined> {
  const { rows } = await sql<BotRow>`
    select ${sql.join(botColumns.map((column) => sql.ref(`b.${column}`)))} from bots b ${joinTeam('b.team_id')}
    where b.id = ${id} and b.state = 'live' and ${inScope(scope, 'b.team_id')}
    for key share of t for update of b`.execute(tx);
  return rows[0];
}

/** Refunds the quota. Does nothing if the bot is already deleted. */
export async function deleteBotRow(tx: Transaction, { teamId, botId }: BotOwner): Promise<void> {
  await lockTeamShared(tx, { kind: 'all' }, teamId);
  await lockDocumentsOfBots(tx, [botId]);
  await sql`
    with gone as (delete from bots where id = ${botId} returning team_id, 1 as bots)
    ${refundBots}`.execute(tx);
}

/** Prevents a deadlock with the deletion of a document, which needs the same join rows and usage row. */
export async function lockDocumentsOfBots(tx: Transaction, botIds: readonly string[]): Promise<void> {
  await lockSelectedDocumentsShared(
    tx,
    sql`
      select document_id from bot_documents where bot_id = any(${botIds}::uuid[])
      union all
      select document_id from bot_version_documents where bot_id = any(${botIds}::uuid[])`,
  );
}
