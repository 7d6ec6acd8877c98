import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { documentsLockedShared } from '../documents/documents.sql.ts';
import type { BotOwner } from './bots.queries.ts';
import type { AttachedDocument } from './draft.queries.ts';

export interface PublishState {
  draft_revision: number;
  published: boolean;
  live_draft_revision: number | null;
}

export async function selectPublishState(tx: Transaction, botId: string): Promise<PublishState> {
  const { rows } = await sql<PublishState>`
    select b.draft_revision, b.published, v.draft_revision as live_draft_revision
    from bots b left join bot_versions v on v.bot_id = b.id and v.version = b.live_version
    where b.id = ${botId}`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error('the locked bot is missing');
  return row;
}

export async function selectNextVersion(tx: Transaction, botId: string): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0) + 1 as version from bot_versions where bot_id = ${botId}`.execute(tx);
  return rows[0]?.version ?? 1;
}

export interface NewVersion extends BotOwner {
  version: number;
  draftRevision: number;
  spec: object;
  actionsSealed: Buffer;
  providerRevision: string;
  documents: readonly AttachedDocument[];
}

/** Omits deleted documents. Takes the time after locking the bot, so that versions are ordered by time. */
export async function insertVersion(tx: Transaction, v: NewVersion): Promise<void> {
  await sql`
    insert into bot_versions (bot_id, version, team_id, spec, actions_sealed, provider_revision, draft_revision,
                              published_at)
    values (${v.botId}, ${v.version}, ${v.teamId}, ${JSON.stringify(v.spec)}::jsonb, ${v.actionsSealed},
            ${v.providerRevision}, ${v.draftRevision}, clock_timestamp())`.execute(tx);
  const ids = v.documents.map(({ id }) => id);
  await sql`
    insert into bot_version_documents (bot_id, version, document_id, team_id, position)
    select ${v.botId}::uuid, ${v.version}::int, d.id, d.team_id, array_position(${ids}::uuid[], d.id)
    from (${documentsLockedShared(v.teamId, ids)}) d`.execute(tx);
}

/** The bot counts as published unless its draft has changed since. Watched by record_bot_event. */
export async function setLiveVersion(
  tx: Transaction,
  { botId, version, draftRevision }: { botId: string; version: number; draftRevision: number },
): Promise<{ published: boolean }> {
  const { rows } = await sql<{ published: boolean }>`
    update bots set live_version = ${version}, published = (draft_revision = ${draftRevision}), updated_at = ${nextUpdate('updated_at')}
    where id = ${botId} returning published`.execute(tx);
  return { published: rows[0]?.published === true };
}
