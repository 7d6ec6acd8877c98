import type { Database, Transaction } from '../database/database.ts';
import type { Scope } from '../http/actor.ts';
import { type InputIssue, invalidInput } from '../http/errors.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { Header } from './action-headers.ts';
import type { BotAction } from './action-shapes.ts';
import type { BotOwner, BotRow } from './bots.queries.ts';
import type { Question, UpdateBot } from './bots.schemas.ts';
import {
  type AttachedDocument,
  type DraftColumns,
  lockDocuments,
  replaceActions,
  replaceDocuments,
  selectDraft,
} from './draft.queries.ts';

/** What the next publish would make live. */
export interface Draft {
  bot: BotRow;
  /** Rises with every change. */
  revision: number;
  questions: readonly Question[];
  actions: readonly BotAction[];
  documents: readonly AttachedDocument[];
}

/** Undefined when the scope sees no such bot. */
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
    headers: openHeaders(encryption, Buffer.from(headers_sealed, 'base64'), headersContext(owner, action.id)),
  }));
  return {
    bot: row.bot,
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
  const sealed = actions.map(({ headers, body, ...action }) => ({
    ...action,
    body: [...body],
    headers_sealed: encryption.seal(Buffer.from(JSON.stringify(headers)), headersContext(owner, action.id)),
  }));
  await replaceActions(tx, owner, sealed);
}

/** Attaches the documents, each once. Throws naming every id that is no document of the team. */
export async function attachDocuments(
  tx: Transaction,
  owner: BotOwner,
  documentIds: readonly string[],
): Promise<void> {
  const ids = documentIds.map((id) => id.toLowerCase());
  const known = await lockDocuments(tx, owner.teamId, [...new Set(ids)]);
  const issues: InputIssue[] = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `document_ids[${index}]`, message: 'is no document of the team' }],
  );
  if (issues.length > 0) throw invalidInput(issues);
  await replaceDocuments(tx, owner, [...new Set(ids)]);
}

/** The columns among the members of an update; those it leaves out stay out. */
export function draftColumns(input: UpdateBot): Partial<DraftColumns> {
  const { actions: _, document_ids: __, ...columns } = input;
  return columns;
}

const headersContext = ({ teamId, botId }: BotOwner, actionId: string): string =>
  `bot_actions:${teamId}:${botId}:${actionId}`;

function openHeaders(encryption: Encryption, sealed: Buffer, context: string): Header[] {
  return JSON.parse(encryption.open(sealed, context).toString());
}
