import type { Static } from 'typebox';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound, requireValid } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { MessageData } from '../../platform/http/operation.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { disclosureIssues } from '../../tenancy/teams/disclosure.ts';
import { actionIssues } from './action-rules.ts';
import { presentAction, resolveActions } from './bot-actions.ts';
import { type BotRow, deleteBotRow, lockBot } from './bots.queries.ts';
import type { Bot, BotDetail, UpdateBot } from './bots.schemas.ts';
import { type BotPolicy, replaceDocuments, updateDraftRow, writePolicy } from './draft.queries.ts';
import { type Draft, lockAttachedDocuments, readDraft, toDraftColumns, writeActions } from './draft.ts';

interface BotsDependencies {
  db: Database;
  encryption: Encryption;
}

/** Returns the ids of the devices that answer with a bot. */
export type SelectDevicesOfBot = (tx: Transaction, botId: string) => Promise<string[]>;

/** Returns the draft with its questions, actions and documents. */
export async function getBot(
  { db, encryption }: BotsDependencies,
  actor: Actor,
  id: string,
): Promise<Static<typeof BotDetail>> {
  const draft = await readDraft({ db, encryption }, actor.scope, id);
  if (draft === undefined) throw notFound('bot');
  return presentDraft(actor, draft);
}

function presentDraft(actor: Actor, draft: Draft): Static<typeof BotDetail> {
  return {
    ...presentBot(draft.bot),
    questions: draft.questions.map(({ question, answer }) => ({ question, answer })),
    actions: draft.actions.map((action) => presentAction(actor, action)),
    documents: draft.documents.map((document) => ({ document_id: document.id, bot_id: draft.bot.id })),
    ...presentPolicy(draft.policy),
  };
}

/** Changes the draft. An empty update counts as a change. Devices keep answering with the published version. */
export async function updateBot(
  { db, encryption }: BotsDependencies,
  actor: Actor,
  id: string,
  input: UpdateBot,
): Promise<Static<typeof Bot>> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, actor.scope, id);
    if (bot === undefined) throw notFound('bot');
    const owner = { teamId: bot.team_id, botId: bot.id };
    const { actions, document_ids: documentIds } = input;
    const isCompared = input.expected_updated_at !== undefined;
    const draft =
      actions === undefined && !isCompared
        ? undefined
        : await readDraft({ db: tx, encryption }, actor.scope, id);
    const known = draft?.actions ?? [];
    const documents = await lockAttachedDocuments(tx, owner.teamId, documentIds);
    requireValid([
      ...actionIssues(actions, known),
      ...documents.issues,
      ...disclosureIssues('disclosure', input.disclosure),
    ]);
    const resolved = actions && resolveActions(actions, known);
    if (draft !== undefined) {
      const yours = resolved && { actions: resolved.map((action) => presentAction(actor, action)) };
      requireUnchanged(
        { ...input, ...yours },
        { ...presentDraft(actor, draft), document_ids: draft.documents.map((document) => document.id) },
      );
    }
    if (resolved !== undefined) await writeActions({ tx, encryption }, owner, resolved);
    if (documentIds !== undefined) await replaceDocuments(tx, owner, documents.ids);
    await writePolicy(tx, owner, input);
    return presentBot(await updateDraftRow(tx, bot.id, toDraftColumns(input)));
  });
}

export const presentPolicy = ({
  purpose,
  disclosure,
  answer_max_age_minutes = null,
}: Partial<BotPolicy>) => ({
  ...(purpose ? { purpose } : {}),
  ...(disclosure ? { disclosure } : {}),
  ...(answer_max_age_minutes === null ? {} : { answer_max_age_minutes }),
});

/** Deletes a bot but not its documents. A job deletes its objects at the provider. */
export async function deleteBot(
  { db, selectDevicesOfBot }: { db: Database; selectDevicesOfBot: SelectDevicesOfBot },
  { scope }: Actor,
  id: string,
): Promise<MessageData> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, scope, id);
    if (bot === undefined) throw notFound('bot');
    const deviceIds = await selectDevicesOfBot(tx, bot.id);
    if (deviceIds.length > 0) {
      throw badRequest('bot_linked', 'Devices use the bot; delete them or bind them to another bot first', {
        device_ids: deviceIds,
      });
    }
    await scheduleDeletion(tx, [
      { teamId: bot.team_id, kind: 'assistant', ref: bot.ai_provider_id },
      { teamId: bot.team_id, kind: 'knowledge', ref: bot.vector_id },
    ]);
    await deleteBotRow(tx, { teamId: bot.team_id, botId: bot.id });
    return { message: 'The bot was deleted' };
  });
}

export const presentBot = (row: BotRow): Static<typeof Bot> => ({
  id: row.id,
  team_id: row.team_id,
  name: row.name,
  role: row.role,
  description: row.description,
  ai_provider_id: row.ai_provider_id,
  vector_id: row.vector_id,
  instructions: row.instructions,
  temperature: row.temperature,
  published: row.published,
  allow_human: row.allow_human,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  identification_name: row.identification_name,
  use_audio_responses: row.use_audio_responses,
  allow_user_audio_requests: row.allow_user_audio_requests,
  capture_payments: row.capture_payments,
  break_lines: row.break_lines,
  chat_model_level: row.chat_model_level,
  live_version: row.live_version,
});
