import type { Static } from 'typebox';
import type { Database } from '../database/database.ts';
import type { Actor } from '../http/actor.ts';
import { notFound } from '../http/errors.ts';
import { timestamp } from '../http/fields.ts';
import type { Encryption } from '../shared/encryption.ts';
import { lockBot } from './bots.queries.ts';
import type { Bot, BotVersion, ListVersions } from './bots.schemas.ts';
import { presentBot } from './bots.ts';
import { replaceDocuments, updateDraftRow } from './draft.queries.ts';
import { writeActions } from './draft.ts';
import { openVersionActions } from './version-content.ts';
import {
  selectVersion,
  selectVersionDocumentIds,
  selectVersions,
  type VersionRow,
} from './versions.queries.ts';

export async function listVersions(
  db: Database,
  { scope }: Actor,
  botId: string,
  query: ListVersions,
): Promise<{ versions: Static<typeof BotVersion>[]; total: number }> {
  const found = await selectVersions(db, scope, botId, query);
  if (found === undefined) throw notFound('bot');
  return { versions: found.rows.map(presentVersion), total: found.total };
}

/**
 * Copies a version into the draft, without documents deleted since. Like any change, this unpublishes the bot, and
 * devices keep answering with the version published last.
 */
export async function restoreVersion(
  { db, encryption }: { db: Database; encryption: Encryption },
  { scope }: Actor,
  botId: string,
  versionText: string,
): Promise<Static<typeof Bot>> {
  const version = /^[1-9]\d{0,8}$/.test(versionText) ? Number(versionText) : 0;
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, scope, botId);
    if (bot === undefined) throw notFound('bot');
    const content = await selectVersion(tx, bot.id, version);
    if (content === undefined) throw notFound('bot_version');
    const owner = { teamId: bot.team_id, botId: bot.id };
    const tools = openVersionActions(encryption, { ...owner, version }, content.actions_sealed);
    await writeActions(
      { tx, encryption },
      owner,
      tools.map(({ action }) => action),
    );
    await replaceDocuments(tx, owner, await selectVersionDocumentIds(tx, bot.id, version));
    const { document_refs: _, action_count: __, ...columns } = content.spec;
    return presentBot(await updateDraftRow(tx, bot.id, columns));
  });
}

const presentVersion = (row: VersionRow): Static<typeof BotVersion> => ({
  version: row.version,
  live: row.live,
  name: row.name,
  questions: row.questions,
  actions: row.actions,
  document_ids: row.document_ids,
  published_at: timestamp(row.published_at),
});
