import type { Static } from 'typebox';
import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import { continueOperation } from '../database/connection-errors.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Actor } from '../http/actor.ts';
import { notFound } from '../http/errors.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { lockBot } from './bots.queries.ts';
import type { PublishedBotData } from './bots.schemas.ts';
import { type Draft, readDraft } from './draft.ts';
import { insertVersion, selectNextVersion, selectPublishState, setLiveVersion } from './publish.queries.ts';
import { type ProviderRevision, putDraft } from './put-draft.ts';
import { createVersionSpec, sealVersionActions } from './version-content.ts';

interface PublishDependencies {
  db: Database;
  encryption: Encryption;
  provider: AssistantProvider;
  providerDeadlineMs: number;
  faultPoint: FaultPoint;
}

/**
 * Makes the draft the version that devices answer with: pushed to the provider first, then live by one commit. Until
 * then, and when anything fails, the version before it serves. Who answers compares `live_version` each time, so the
 * commit is also the moment from which every process uses it. Publishing what is published changes nothing.
 */
export async function publishBot(
  deps: PublishDependencies,
  actor: Actor,
  id: string,
): Promise<Static<typeof PublishedBotData>> {
  const draft = await readDraft(deps, actor.scope, id);
  if (draft === undefined) throw notFound('bot');
  if (draft.bot.published) return answer(draft.bot.id, true);
  const pushed = await putDraft(deps, draft).catch(async (error) => {
    // A bot that was deleted meanwhile has lost its assistant with it: the provider is not to blame.
    if ((await continueOperation(() => readDraft(deps, actor.scope, id))) === undefined)
      throw notFound('bot');
    throw error;
  });
  deps.faultPoint('publish.after_provider');
  const { published } = await continueOperation(() =>
    deps.db
      .transaction()
      .execute((tx) => createLiveVersion({ tx, encryption: deps.encryption }, actor, draft, pushed)),
  );
  deps.faultPoint('publish.after_commit');
  return answer(draft.bot.id, published);
}

async function createLiveVersion(
  { tx, encryption }: { tx: Transaction; encryption: Encryption },
  { scope }: Actor,
  draft: Draft,
  pushed: ProviderRevision,
): Promise<{ published: boolean }> {
  const bot = await lockBot(tx, scope, draft.bot.id);
  if (bot === undefined) throw notFound('bot');
  const state = await selectPublishState(tx, bot.id);
  // Another publish of this draft, or of a newer one, was faster.
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

const answer = (id: string, published: boolean): Static<typeof PublishedBotData> => ({
  id,
  published,
  message: published
    ? 'The bot is published'
    : 'The draft that was there at the beginning is live; it has been changed since, so the bot is unpublished',
});
