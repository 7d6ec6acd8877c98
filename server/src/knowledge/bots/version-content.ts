import type { Encryption } from '../../platform/shared/encryption.ts';
import type { NamedTool } from './assistant-spec.ts';
import type { BotOwner } from './bots.queries.ts';
import type { BotPolicy, DraftColumns } from './draft.queries.ts';
import type { Draft } from './draft.ts';
import { versionActionsContext } from './sealed-columns.ts';

/** Versions that an earlier Parley published have no policy. */
export interface VersionSpec extends DraftColumns, Partial<BotPolicy> {
  /** Refs at the provider. Documents deleted since are withdrawn. */
  document_refs: readonly string[];
  action_count: number;
}

interface VersionOwner extends BotOwner {
  version: number;
}

export function createVersionSpec({ bot, policy, questions, actions, documents }: Draft): VersionSpec {
  return {
    name: bot.name,
    role: bot.role,
    description: bot.description,
    instructions: bot.instructions,
    identification_name: bot.identification_name,
    temperature: bot.temperature,
    chat_model_level: bot.chat_model_level,
    allow_human: bot.allow_human,
    use_audio_responses: bot.use_audio_responses,
    allow_user_audio_requests: bot.allow_user_audio_requests,
    capture_payments: bot.capture_payments,
    break_lines: bot.break_lines,
    questions,
    ...policy,
    document_refs: documents.map(({ ref }) => ref),
    action_count: actions.length,
  };
}

/** Actions are sealed because their headers and other fields may contain the partner's credentials. */
export const sealVersionActions = (
  encryption: Encryption,
  owner: VersionOwner,
  tools: readonly NamedTool[],
): Buffer => encryption.seal(Buffer.from(JSON.stringify(tools)), context(owner));

export const openVersionActions = (
  encryption: Encryption,
  owner: VersionOwner,
  sealed: Uint8Array,
): NamedTool[] => JSON.parse(encryption.open(sealed, context(owner)).toString());

const context = ({ teamId, botId, version }: VersionOwner): string =>
  versionActionsContext(teamId, botId, version);
