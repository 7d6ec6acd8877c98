import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { Database } from '../database/database.ts';
import type { Scope } from '../http/actor.ts';
import { notFound } from '../http/errors.ts';
import { createBatch } from '../shared/batch.ts';
import { createBoundedMap } from '../shared/bounded-map.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { NamedTool } from './assistant-spec.ts';
import type { BotAction } from './bot-actions.ts';
import type { DraftColumns } from './draft.queries.ts';
import { readDraft } from './draft.ts';
import { putDraft } from './put-draft.ts';
import { openVersionActions, type VersionSpec } from './version-content.ts';
import { type LiveBotRow, selectLiveBots, selectVersion } from './versions.queries.ts';

/** A bot as it answers: one version or one state of the draft, never a mix. */
export interface LoadedBot {
  botId: string;
  teamId: string;
  /** Null for a draft. */
  version: number | null;
  /** Assistant and revision at the provider. */
  assistantRef: string;
  revision: string;
  /** Documents it was made with that must not be used any more. */
  withdrawnDocumentRefs: readonly string[];
  /** By the document's ref at the provider. */
  documents: ReadonlyMap<string, { id: string; name: string }>;
  name: string;
  identificationName: string;
  instructions: string;
  temperature: number;
  chatModelLevel: number;
  allowHuman: boolean;
  breakLines: boolean;
  useAudioResponses: boolean;
  allowUserAudioRequests: boolean;
  capturePayments: boolean;
  /** By the name the model calls it by. */
  tools: ReadonlyMap<string, BotAction>;
}

export interface PublishedBot extends LoadedBot {
  version: number;
}

export interface BotLoader {
  /** The version that is live now. Null when the bot was never published, or is gone. */
  load(botId: string): Promise<PublishedBot | null>;
  /**
   * The draft, pushed to the provider without making it live. Throws `bot_not_found` (404), `documents_not_ready` (400),
   * `provider_unavailable` (500).
   */
  loadDraft(scope: Scope, botId: string, signal: AbortSignal): Promise<LoadedBot>;
}

/** Never changes, so it is read once. */
interface VersionContent {
  spec: VersionSpec;
  tools: ReadonlyMap<string, BotAction>;
  revision: string;
}

/** Versions kept in memory. */
const kept = 500;

export function createBotLoader(deps: {
  db: Database;
  encryption: Encryption;
  provider: AssistantProvider;
  providerDeadlineMs: number;
}): BotLoader {
  const { db, encryption } = deps;
  const versions = createBoundedMap<string, VersionContent>(kept);
  /** Answers that begin together look together. */
  const liveBots = createBatch<string, LiveBotRow | undefined>({
    waitMs: 0,
    maxItems: 100,
    run: (botIds) => selectLiveBots(db, botIds),
  });

  const contentOf = async (botId: string, live: LiveBotRow): Promise<VersionContent | null> => {
    const key = `${botId}/${live.version}`;
    const content = versions.get(key) ?? (await readContent({ db, encryption }, botId, live));
    if (content !== null) versions.set(key, content);
    return content;
  };

  return {
    async load(botId) {
      const live = await liveBots.add(botId);
      if (live === undefined) return null;
      const content = await contentOf(botId, live);
      return content === null ? null : publishedBot(botId, live, content);
    },

    async loadDraft(scope, botId, signal) {
      const draft = await readDraft({ db, encryption }, scope, botId);
      if (draft === undefined) throw notFound('bot');
      const { revision, tools } = await putDraft(deps, draft, signal);
      return {
        ...characterOf(draft.bot),
        botId: draft.bot.id,
        teamId: draft.bot.team_id,
        version: null,
        assistantRef: draft.bot.ai_provider_id,
        revision,
        withdrawnDocumentRefs: [],
        documents: new Map(draft.documents.map(({ ref, id, name }) => [ref, { id, name }])),
        tools: byToolName(tools),
      };
    },
  };
}

async function readContent(
  { db, encryption }: { db: Database; encryption: Encryption },
  botId: string,
  { team_id, version }: LiveBotRow,
): Promise<VersionContent | null> {
  const row = await selectVersion(db, botId, version);
  if (row === undefined) return null;
  const tools = openVersionActions(encryption, { teamId: team_id, botId, version }, row.actions_sealed);
  return { spec: row.spec, tools: byToolName(tools), revision: row.provider_revision };
}

function publishedBot(
  botId: string,
  live: LiveBotRow,
  { spec, tools, revision }: VersionContent,
): PublishedBot {
  const documents = new Map(live.documents.map(({ ref, id, name }) => [ref, { id, name }]));
  return {
    ...characterOf(spec),
    botId,
    teamId: live.team_id,
    version: live.version,
    assistantRef: live.assistant_ref,
    revision,
    withdrawnDocumentRefs: spec.document_refs.filter((ref) => !documents.has(ref)),
    documents,
    tools,
  };
}

const characterOf = (columns: Omit<DraftColumns, 'questions'>) => ({
  name: columns.name,
  identificationName: columns.identification_name,
  instructions: columns.instructions,
  temperature: columns.temperature,
  chatModelLevel: columns.chat_model_level,
  allowHuman: columns.allow_human,
  breakLines: columns.break_lines,
  useAudioResponses: columns.use_audio_responses,
  allowUserAudioRequests: columns.allow_user_audio_requests,
  capturePayments: columns.capture_payments,
});

const byToolName = (tools: readonly NamedTool[]): ReadonlyMap<string, BotAction> =>
  new Map(tools.map(({ tool, action }) => [tool, action]));
