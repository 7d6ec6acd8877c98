import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { notFound } from '../../platform/http/errors.ts';
import { createBatch } from '../../platform/shared/batch.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import type { NamedTool } from './assistant-spec.ts';
import type { BotAction } from './bot-actions.ts';
import type { BotPolicy, DraftColumns } from './draft.queries.ts';
import { readDraft } from './draft.ts';
import { putDraft } from './put-draft.ts';
import { openVersionActions, type VersionSpec } from './version-content.ts';
import { type LiveBotRow, selectLiveBots, selectVersion } from './versions.queries.ts';

/** A consistent copy of one published version or of one state of the draft. */
export interface LoadedBot {
  botId: string;
  teamId: string;
  /** Null for a draft. */
  version: number | null;
  /** Of a draft. */
  draftRevision?: number;
  assistantRef: string;
  revision: string;
  /** Documents of this revision that were deleted or detached since, so must not be used. */
  withdrawnDocumentRefs: readonly string[];
  /** Keyed by the document's ref at the provider. */
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
  purpose: string | null;
  /** Null: the bot follows its team. */
  disclosure: Disclosure | null;
  /** A question that arrives later than this after it was sent gets no answer. */
  answerMaxAgeMinutes: number;
  tools: ReadonlyMap<string, BotAction>;
}

export interface PublishedBot extends LoadedBot {
  version: number;
}

export interface BotLoader {
  /** Returns the live version, or null if the bot was never published or is deleted. */
  load(botId: string): Promise<PublishedBot | null>;
  /**
   * Puts the draft at the provider without publishing it. Throws `bot_not_found` (404), `documents_not_ready` (400) and
   * `provider_unavailable` (500).
   */
  loadDraft(scope: Scope, botId: string, signal: AbortSignal): Promise<LoadedBot>;
}

/** The part of a version that stays the same as long as its revision at the provider does. Cached in memory. */
interface VersionContent {
  spec: VersionSpec;
  tools: ReadonlyMap<string, BotAction>;
  revision: string;
}

const maxCachedVersions = 500;

export function createBotLoader(deps: {
  db: Database;
  encryption: Encryption;
  provider: AssistantProvider;
  providerDeadlineMs: number;
}): BotLoader {
  const { db, encryption } = deps;
  const versions = createBoundedMap<string, VersionContent>(maxCachedVersions);
  const liveBots = createBatch<string, LiveBotRow | undefined>({
    waitMs: 0,
    maxItems: 100,
    run: (botIds) => selectLiveBots(db, botIds),
  });

  const loadContent = async (botId: string, live: LiveBotRow): Promise<VersionContent | null> => {
    const key = `${botId}/${live.version}/${live.provider_revision}`;
    const content = versions.get(key) ?? (await readContent({ db, encryption }, botId, live));
    if (content?.revision === live.provider_revision) versions.set(key, content);
    return content;
  };

  return {
    async load(botId) {
      for (;;) {
        const live = await liveBots.add(botId);
        if (live === undefined) return null;
        const content = await loadContent(botId, live);
        if (content === null) return null;
        // A move of documents may have replaced the revision and the refs in between.
        if (content.revision === live.provider_revision) return toPublishedBot(botId, live, content);
      }
    },

    async loadDraft(scope, botId, signal) {
      const draft = await readDraft({ db, encryption }, scope, botId);
      if (draft === undefined) throw notFound('bot');
      const { revision, tools } = await putDraft(deps, draft, signal);
      return {
        ...toSettings({ ...draft.bot, ...draft.policy }),
        botId: draft.bot.id,
        teamId: draft.bot.team_id,
        version: null,
        draftRevision: draft.revision,
        assistantRef: draft.bot.ai_provider_id,
        revision,
        withdrawnDocumentRefs: [],
        documents: new Map(draft.documents.map(({ ref, id, name }) => [ref, { id, name }])),
        tools: mapByToolName(tools),
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
  return { spec: row.spec, tools: mapByToolName(tools), revision: row.provider_revision };
}

function toPublishedBot(
  botId: string,
  live: LiveBotRow,
  { spec, tools, revision }: VersionContent,
): PublishedBot {
  const documents = new Map(live.documents.map(({ ref, id, name }) => [ref, { id, name }]));
  return {
    ...toSettings(spec),
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

const toSettings = (columns: Omit<DraftColumns, 'questions'> & Partial<BotPolicy>) => ({
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
  purpose: columns.purpose ?? null,
  disclosure: columns.disclosure ?? null,
  answerMaxAgeMinutes: columns.answer_max_age_minutes ?? defaultAnswerMaxAgeMinutes,
});

const defaultAnswerMaxAgeMinutes = 720;

const mapByToolName = (tools: readonly NamedTool[]): ReadonlyMap<string, BotAction> =>
  new Map(tools.map(({ tool, action }) => [tool, action]));
