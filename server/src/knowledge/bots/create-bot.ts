import type { Static } from 'typebox';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import {
  invalidInput,
  operationFailed,
  quotaExceeded,
  requireValid,
  unknownTeam,
} from '../../platform/http/errors.ts';
import type { Steps } from '../../platform/http/idempotency/idempotency.ts';
import { success } from '../../platform/http/operation.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { ExternalObject } from '../../records/external-deletions/external-deletions.sql.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { disclosureIssues } from '../../tenancy/teams/disclosure.ts';
import { lockTeamShared } from '../../tenancy/teams/teams.sql.ts';
import { chargeQuota } from '../../tenancy/usage/usage.sql.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { createAssistantSpec } from './assistant-spec.ts';
import { resolveActions } from './bot-actions.ts';
import { type BotOwner, deleteBotRow, type ProviderRefs } from './bots.queries.ts';
import type { Bot, CreateBot } from './bots.schemas.ts';
import { presentBot } from './bots.ts';
import { callProvider } from './call-provider.ts';
import { completeBot, insertBotIntent, lockCompletedBot } from './create-bot.queries.ts';
import { type DraftColumns, replaceDocuments, writePolicy } from './draft.queries.ts';
import { lockAttachedDocuments, toDraftColumns, writeActions } from './draft.ts';

interface BotIntent extends BotOwner {
  columns: DraftColumns;
  /** Refs of the objects that the provider has created so far. */
  created: Partial<ProviderRefs>;
}

type Created = { success: true; data: Static<typeof Bot> };

const defaults: Omit<DraftColumns, 'name'> = {
  role: 'assistant',
  description: '',
  instructions: '',
  identification_name: '',
  temperature: 0.7,
  chat_model_level: 1,
  allow_human: false,
  use_audio_responses: false,
  allow_user_audio_requests: false,
  capture_payments: false,
  break_lines: false,
  questions: [],
};

/** Stores an intent and charges the quota, creates the knowledge store and the assistant, then completes the bot. */
export function createBotSteps(
  deps: {
    encryption: Encryption;
    provider: AssistantProvider;
    providerDeadlineMs: number;
  },
  actor: Actor,
  input: CreateBot,
): Steps<BotIntent, ProviderRefs, Created> {
  return {
    begin: (tx) => insertIntent(tx, deps.encryption, actor, input),
    act: (intent) => callProvider(deps.providerDeadlineMs, (signal) => makeAssistant(deps, intent, signal)),
    async complete(tx, { botId, teamId }, refs) {
      const row = await completeBot(tx, botId, refs);
      if (row !== undefined) return success(presentBot(row));
      if (!(await lockTeamShared(tx, actor.scope, teamId))) throw invalidInput([unknownTeam]);
      throw operationFailed('creation_interrupted', 'The creation took too long and was undone; retry');
    },
    abandon: (tx, intent) => abandon(tx, intent),
  };
}

async function insertIntent(
  tx: Transaction,
  encryption: Encryption,
  { scope }: Actor,
  { team_id, role, ...input }: CreateBot,
): Promise<BotIntent> {
  const owner = { teamId: team_id, botId: newId() };
  const isThere = await lockTeamShared(tx, scope, owner.teamId);
  const documents = await lockAttachedDocuments(tx, isThere ? owner.teamId : null, input.document_ids);
  requireValid([
    ...(isThere ? [] : [unknownTeam]),
    ...documents.issues,
    ...disclosureIssues('disclosure', input.disclosure),
  ]);
  const columns = {
    ...defaults,
    ...toDraftColumns(input),
    name: input.name,
    ...(role === undefined ? {} : { role }),
  };
  await insertBotIntent(tx, owner, columns);
  await writeActions({ tx, encryption }, owner, resolveActions(input.actions ?? [], []));
  await replaceDocuments(tx, owner, documents.ids);
  await writePolicy(tx, owner, input);
  // Charged last, because all creations of the team wait for the row that this locks.
  const full = await chargeQuota(tx, owner.teamId, 'bots');
  if (full !== null) throw quotaExceeded('bots', { ...full, needed: 1 });
  return { ...owner, columns, created: {} };
}

/** The first revision has no actions and documents. It never answers, because publishing creates another revision. */
async function makeAssistant(
  { provider }: { provider: AssistantProvider },
  intent: BotIntent,
  signal: AbortSignal,
): Promise<ProviderRefs> {
  const { teamId, botId, columns, created } = intent;
  const tag = { teamId, objectId: botId, operation: `create-bot:${botId}` };
  const { ref: knowledge } = await provider.putKnowledge(tag, signal);
  created.knowledge = knowledge;
  faultPoint('bot.after_knowledge');
  const spec = createAssistantSpec(
    {
      bot: { ...columns, vector_id: knowledge },
      questions: columns.questions,
      documents: [],
    },
    [],
  );
  const { ref: assistant } = await provider.putAssistant(tag, null, spec, signal);
  created.assistant = assistant;
  faultPoint('bot.after_assistant');
  return { knowledge, assistant };
}

/** Undoes a creation. If a provider response was lost, cleanup finds the created object by the bot's tag. */
async function abandon(tx: Transaction, { teamId, botId, created }: BotIntent): Promise<boolean> {
  if (await lockCompletedBot(tx, botId)) return false;
  await deleteBotRow(tx, { teamId, botId });
  const refs: ExternalObject[] = [];
  if (created.assistant !== undefined) refs.push({ teamId, kind: 'assistant', ref: created.assistant });
  if (created.knowledge !== undefined) refs.push({ teamId, kind: 'knowledge', ref: created.knowledge });
  if (refs.length < 2) refs.push({ teamId, kind: 'tagged', ref: botId });
  await scheduleDeletion(tx, refs);
  return true;
}
