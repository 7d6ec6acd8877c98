import { badRequest } from '../../platform/http/errors.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { createAssistantSpec, type NamedTool, nameTools } from './assistant-spec.ts';
import { callProvider } from './call-provider.ts';
import type { Draft } from './draft.ts';

/** A revision of the bot's assistant, stored at the provider but not live yet. */
export interface ProviderRevision {
  revision: string;
  tools: readonly NamedTool[];
}

/**
 * Stores the draft as a revision at the provider. Repeated calls for the same draft return the same revision. Throws
 * `documents_not_ready` (400) and `provider_unavailable` (500).
 */
export async function putDraft(
  { provider, providerDeadlineMs }: { provider: AssistantProvider; providerDeadlineMs: number },
  draft: Draft,
  signal?: AbortSignal,
): Promise<ProviderRevision> {
  requireReadyDocuments(draft);
  const { bot } = draft;
  const tools = nameTools(draft.actions);
  const tag = {
    teamId: bot.team_id,
    objectId: bot.id,
    operation: `draft:${bot.id}:${draft.revision}`,
  };
  const { revision } = await callProvider(
    providerDeadlineMs,
    (deadline) => provider.putAssistant(tag, bot.ai_provider_id, createAssistantSpec(draft, tools), deadline),
    signal,
  );
  return { revision, tools };
}

function requireReadyDocuments({ documents }: Draft): void {
  const waiting = documents.filter(({ status }) => status !== 'ready');
  if (waiting.length === 0) return;
  const failed = waiting.filter(({ status }) => status === 'failed').map(({ id }) => id);
  throw badRequest(
    'documents_not_ready',
    failed.length > 0
      ? 'The AI provider could not read some attached documents; detach them'
      : 'Attached documents are not ready yet',
    { document_ids: waiting.map(({ id }) => id), failed_document_ids: failed },
  );
}
