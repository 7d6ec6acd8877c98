import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { type Page, pageRange } from '../../platform/http/pagination.ts';
import { joinDocument } from '../documents/documents.sql.ts';
import type { VersionSpec } from './version-content.ts';

export interface VersionRow {
  version: number;
  live: boolean;
  name: string;
  questions: number;
  actions: number;
  document_ids: string[];
  published_at: Date;
}

const columns = sql`
  v.version, v.version = b.live_version as live, v.spec ->> 'name' as name,
  jsonb_array_length(v.spec -> 'questions') as questions, (v.spec ->> 'action_count')::int as actions,
  array(select d.document_id from bot_version_documents d
        where d.bot_id = v.bot_id and d.version = v.version order by d.position) as document_ids,
  v.published_at`;

/** Returns versions, latest first. Undefined if the bot is outside the scope. */
export async function selectVersions(
  db: Database,
  scope: Scope,
  botId: string,
  page: Page,
): Promise<ListPage<VersionRow> | undefined> {
  if ((await selectTeamOfBot(db, scope, botId)) === undefined) return undefined;
  const from = sql`bot_versions v join bots b on b.id = v.bot_id where v.bot_id = ${botId}`;
  const order = sql`v.published_at desc, v.version desc`;
  return selectPage(db, { columns, from, order }, pageRange(page));
}

/** Returns undefined if the bot is outside the scope, and no row if it has no such version. */
export async function selectVersionFacts(
  db: Database,
  scope: Scope,
  botId: string,
  version: number,
): Promise<{ team_id: string; row: VersionRow | undefined } | undefined> {
  const teamId = await selectTeamOfBot(db, scope, botId);
  if (teamId === undefined) return undefined;
  const { rows } = await sql<VersionRow>`
    select ${columns} from bot_versions v join bots b on b.id = v.bot_id
    where v.bot_id = ${botId} and v.version = ${version}`.execute(db);
  return { team_id: teamId, row: rows[0] };
}

async function selectTeamOfBot(db: Database, scope: Scope, botId: string): Promise<string | undefined> {
  const { rows } = await sql<{ team_id: string }>`
    select team_id from bots where id = ${botId} and state = 'live' and ${inScope(scope, 'team_id')}`.execute(
    db,
  );
  return rows[0]?.team_id;
}

export interface VersionContentRow {
  spec: VersionSpec;
  actions_sealed: Buffer;
  provider_revision: string;
}

export async function selectVersion(
  db: Database | Transaction,
  botId: string,
  version: number,
): Promise<VersionContentRow | undefined> {
  const { rows } = await sql<VersionContentRow>`
    select spec, actions_sealed, provider_revision from bot_versions
    where bot_id = ${botId} and version = ${version}`.execute(db);
  return rows[0];
}

/** Returns the documents that still exist and locks them against deletion. */
export async function selectVersionDocumentIds(
  tx: Transaction,
  botId: string,
  version: number,
): Promise<string[]> {
  const { rows } = await sql<{ document_id: string }>`
    select v.document_id from bot_version_documents v ${joinDocument('v.document_id')}
    where v.bot_id = ${botId} and v.version = ${version}
    order by v.position for key share of d`.execute(tx);
  return rows.map((row) => row.document_id);
}

export interface LiveBotRow {
  team_id: string;
  version: number;
  assistant_ref: string;
  provider_revision: string;
  documents: { id: string; name: string; ref: string }[];
}

/** Returns undefined for a bot without a live version. */
export async function selectLiveBots(
  db: Database,
  botIds: readonly string[],
): Promise<(LiveBotRow | undefined)[]> {
  const { rows } = await sql<LiveBotRow & { id: string }>`
    select b.id, b.team_id, b.live_version as version, b.ai_provider_id as assistant_ref,
      (select provider_revision from bot_versions l where l.bot_id = b.id and l.version = b.live_version),
      coalesce((
        select jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'ref', d.ai_provider_id) order by v.position)
        from bot_version_documents v ${joinDocument('v.document_id')}
        where v.bot_id = b.id and v.version = b.live_version), '[]') as documents
    from bots b
    where b.id = any(${botIds}::uuid[]) and b.state = 'live' and b.live_version is not null`.execute(db);
  const live = new Map(rows.map((row) => [row.id, row]));
  return botIds.map((botId) => live.get(botId));
}
