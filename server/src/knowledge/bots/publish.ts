import type { Static } from 'typebox';
import { continueOperation } from '../../platform/database/connection-errors.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { ApiError, badRequest, notFound } from '../../platform/http/errors.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { createAssistantSpec, nameTools } from './assistant-spec.ts';
import { lockBot } from './bots.queries.ts';
import type { PublishBot, PublishedBotData } from './bots.schemas.ts';
import { type Draft, readDraft } from './draft.ts';
import { insertVersion, selectNextVersion, selectPublishState, setLiveVersion } from './publish.queries.ts';
import { type ProviderRevision, putDraft } from './put-draft.ts';
import { createVersionSpec, sealVersionActions } from './version-content.ts';

/** Throws unless the draft may become the live version. */
export type CheckGate = (
  actor: Actor,
  draft: { botId: string; draftRevision: number; overrideReason: string | null },
) => Promise<void>;

interface PublishDependencies {
  db: Database;
  encryption: Encryption;
  provider: AssistantProvider;
  providerDeadlineMs: number;
  /** Absent: no bot has a gate. */
  checkGate?: CheckGate;
}

/**
 * Makes the draft the live version: puts it at the provider, then commits the version. Until that commit, and if
 * anything fails, devices answer with the previous version. Every answer reads `live_version`, so all processes switch
 * at the commit. Publishing a published bot changes nothing.
 */
export async function publishBot(
  deps: PublishDependencies,
  actor: Actor,
  id: string,
  input: PublishBot = {},
): Promise<Static<typeof PublishedBotData>> {
  const draft = await readDraft(deps, actor.scope, id);
  if (draft === undefined) throw notFound('bot');
  if (draft.bot.published) return presentPublished(draft.bot.id, true);
  await deps.checkGate?.(actor, {
    botId: draft.bot.id,
    draftRevision: draft.revision,
    overrideReason: input.override_reason ?? null,
  });
  const pushed = await pushDraft(deps, draft).catch(async (error) => {
    // If the bot was deleted meanwhile, the provider failed because the assistant is gone.
    if ((await continueOperation(() => readDraft(deps, actor.scope, id))) === undefined)
      throw notFound('bot');
    await recordPublishFailure(deps.db, draft.bot, error);
    throw error;
  });
  faultPoint('publish.after_provider');
  const created = await continueOperation(() =>
    deps.db
      .transaction()
      .execute((tx) => createLiveVersion({ tx, encryption: deps.encryption }, actor, draft, pushed)),
  );
  // The revision refers to documents at the place that the team has just left.
  if (created === 'moved') return publishBot(deps, actor, id, input);
  faultPoint('publish.after_commit');
  return presentPublished(draft.bot.id, created.published);
}

/** The failed publish has changed nothing, so the event has a transaction of its own. */
const recordPublishFailure = (db: Database, bot: Draft['bot'], error: unknown): Promise<void> =>
  recordEvent(db, 'bot.publish_failed', bot.team_id, {
    bot_id: bot.id,
    name: bot.name,
    reason: (error instanceof ApiError && error.details?.reason) || 'provider_unavailable',
  });

/** Checks the model and puts the draft at the provider, both together within the deadline of the provider. */
async function pushDraft(deps: PublishDependencies, draft: Draft): Promise<ProviderRevision> {
  const deadline = AbortSignal.timeout(deps.providerDeadlineMs);
  await requireWorkingModel(deps, draft);
  return putDraft(deps, draft, deadline);
}

/** Of the provider's deadline, so that a model that hangs leaves time for the draft. */
const checkShare = 0.4;

/** Throws `provider_misconfigured` (400). A provider that is only down does not block a publish. */
async function requireWorkingModel(
  { provider, providerDeadlineMs }: Pick<PublishDependencies, 'provider' | 'providerDeadlineMs'>,
  draft: Draft,
): Promise<void> {
  const spec = createAssistantSpec(draft, nameTools(draft.actions));
  try {
    await withDeadline(providerDeadlineMs * checkShare, (signal) => provider.checkModel(spec, signal));
  } catch (error) {
    const isWrong = error instanceof ProviderError && ['auth', 'invalid_config'].includes(error.kind);
    if (!isWrong) return;
    throw badRequest(
      'provider_misconfigured',
      `The AI provider refuses the configured key or the model of level ${spec.modelLevel}: ${error.message}`,
    );
  }
}

async function createLiveVersion(
  { tx, encryption }: { tx: Transaction; encryption: Encryption },
  { scope }: Actor,
  draft: Draft,
  pushed: ProviderRevision,
): Promise<{ published: boolean } | 'moved'> {
  const bot = await lockBot(tx, scope, draft.bot.id);
  if (bot === undefined) throw notFound('bot');
  if (bot.vector_id !== draft.bot.vector_id) return 'moved';
  const state = await selectPublishState(tx, bot.id);
  // Another publish has already made this draft, or a newer one, live.
  if (state.live_draft_revision !== null && state.live_draft_revision >= draft.revision) return state;
  const version = await selectNextVersion(tx, bot.id);
  const owner = { teamId: bot.team_id, botId: bot.id, version };
  await insertVersion(tx, {
    ...owner,
    draftRevision: draft.revision,
    spec: createVersionSpec(draft),
    actionsSealed: sealVersionActions(encryption, owner, pushed.tools),
    providerRevision: pushed.revision,
    documents: draft.documents,
  });
  return setLiveVersion(tx, { botId: bot.id, version, draftRevision: draft.revision });
}

const presentPublished = (id: string, published: boolean): Static<typeof PublishedBotData> => ({
  id,
  published,
  message: published
    ? 'The bot is published'
    : 'The draft was published, but it was changed meanwhile; publish again to make the changes live',
});
