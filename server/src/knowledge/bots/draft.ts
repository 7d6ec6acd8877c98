import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { InputIssue } from '../../platform/http/errors.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { lockDocumentsShared } from '../documents/documents.sql.ts';
import type { Header } from './action-headers.ts';
import type { BotAction } from './bot-actions.ts';
import type { BotOwner, BotRow } from './bots.queries.ts';
import type { Question, UpdateBot } from './bots.schemas.ts';
import {
  type AttachedDocument,
  type BotPolicy,
  type DraftColumns,
  replaceActions,
  selectDraft,
} from './draft.queries.ts';
import { actionHeadersContext } from './sealed-columns.ts';

/** The editable state of a bot, which the next publish makes live. */
export interface Draft {
  bot: BotRow;
  policy: BotPolicy;
  /** Incremented by every change. */
  revision: number;
  questions: readonly Question[];
  actions: readonly BotAction[];
  documents: readonly AttachedDocument[];
}

/** Returns undefined if the bot does not exist in the scope. */
export async function readDraft(
  { db, encryption }: { db: Database | Transaction; encryption: Encryption },
  scope: Scope,
  botId: string,
): Promise<Draft | undefined> {
  const row = await selectDraft(db, scope, botId);
  if (row === undefined) return undefined;
  const owner = { teamId: row.bot.team_id, botId: row.bot.id };
  const actions = row.actions.map(({ headers_sealed, ...action }) => ({
    ...action,
    ...openSecrets(encryption, Buffer.from(headers_sealed, 'base64'), headersContext(owner, action.id)),
  }));
  return {
    bot: row.bot,
    policy: row.policy,
    revision: row.draft_revision,
    questions: row.questions,
    actions,
    documents: row.documents,
  };
}

export async function writeActions(
  { tx, encryption }: { tx: Transaction; encryption: Encryption },
  owner: BotOwner,
  actions: readonly BotAction[],
): Promise<void> {
  const sealed = actions.map(({ headers, signingSecret, body, parameters = [], ...action }) => ({
    ...action,
    body: [...body],
    parameters: [...parameters],
    headers_sealed: encryption.seal(
      Buffer.from(JSON.stringify(signingSecret === undefined ? headers : { headers, signingSecret })),
      headersContext(owner, action.id),
    ),
  }));
  await replaceActions(tx, owner, sealed);
}

/**
 * Locks the distinct documents until the commit and returns an issue for each id that is not a document of the team.
 * `teamId` is null if the caller cannot see the team; then no id is valid.
 */
export async function lockAttachedDocuments(
  tx: Transaction,
  teamId: string | null,
  documentIds: readonly string[] = [],
): Promise<{ ids: string[]; issues: InputIssue[] }> {
  const ids = [...new Set(documentIds)];
  const known = teamId === null ? new Set() : await lockDocumentsShared(tx, teamId, ids);
  const issues = documentIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `document_ids[${index}]`, message: 'is not a document of the team' }],
  );
  return { ids, issues };
}

export function toDraftColumns(input: UpdateBot): Partial<DraftColumns> {
  const {
    actions: _,
    document_ids: __,
    purpose: ___,
    disclosure: ____,
    answer_max_age_minutes: _____,
    expected_updated_at: ______,
    ...columns
  } = input;
  return columns;
}

const headersContext = ({ teamId, botId }: BotOwner, actionId: string): string =>
  actionHeadersContext(teamId, botId, actionId);

type ActionSecrets = Pick<BotAction, 'headers' | 'signingSecret'>;

/** The sealed value of an action without a signing secret is the list of its headers. */
function openSecrets(encryption: Encryption, sealed: Buffer, context: string): ActionSecrets {
  const secrets: ActionSecrets | Header[] = JSON.parse(encryption.open(sealed, context).toString());
  return Array.isArray(secrets) ? { headers: secrets } : secrets;
}
