import type { Static } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { presentAction } from './bot-actions.ts';
import { lockBot } from './bots.queries.ts';
import type { Bot, BotVersion, BotVersionDetail, ListVersions } from './bots.schemas.ts';
import { presentBot, presentPolicy } from './bots.ts';
import { replaceDocuments, updateDraftRow, writePolicy } from './draft.queries.ts';
import { writeActions } from './draft.ts';
import { openVersionActions, type VersionSpec } from './version-content.ts';
import {
  selectVersion,
  selectVersionDocumentIds,
  selectVersionFacts,
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

/** Returns the content of a version. Throws `bot_not_found` and `bot_version_not_found` (404). */
export async function getVersion(
  { db, encryption }: { db: Database; encryption: Encryption },
  actor: Actor,
  botId: string,
  versionText: string,
): Promise<Static<typeof BotVersionDetail>> {
  const version = readVersion(versionText);
  const facts = await selectVersionFacts(db, actor.scope, botId, version);
  if (facts === undefined) throw notFound('bot');
  const content = facts.row && (await selectVersion(db, botId, version));
  if (facts.row === undefined || content === undefined) throw notFound('bot_version');
  const owner = { teamId: facts.team_id, botId, version };
  const tools = openVersionActions(encryption, owner, content.actions_sealed);
  return {
    ...presentVersion(facts.row),
    ...presentSpec(content.spec),
    ...presentPolicy(content.spec),
    questions: content.spec.questions.map(({ question, answer }) => ({ question, answer })),
    actions: tools.map(({ action }) => presentAction(actor, action)),
  };
}

const presentSpec = (spec: VersionSpec) => ({
  role: spec.role,
  description: spec.description,
  instructions: spec.instructions,
  identification_name: spec.identification_name,
  temperature: spec.temperature,
  chat_model_level: spec.chat_model_level,
  allow_human: spec.allow_human,
  use_audio_responses: spec.use_audio_responses,
  allow_user_audio_requests: spec.allow_user_audio_requests,
  capture_payments: spec.capture_payments,
  break_lines: spec.break_lines,
});

const readVersion = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0);

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
  const version = readVersion(versionText);
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
    const {
      document_refs: _,
      action_count: __,
      purpose = null,
      disclosure = null,
      answer_max_age_minutes = null,
      ...columns
    } = content.spec;
    await writePolicy(tx, owner, { purpose, disclosure, answer_max_age_minutes });
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
