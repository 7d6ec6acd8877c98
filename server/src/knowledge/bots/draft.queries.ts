import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import { joinDocument } from '../documents/documents.sql.ts';
import type { ActionParameter, BodyItem } from './bot-actions.ts';
import { type BotOwner, type BotRow, botColumns } from './bots.queries.ts';
import type { ActionMethod, Question } from './bots.schemas.ts';

/** Null: the bot has none, and follows its team. */
export interface BotPolicy {
  purpose: string | null;
  disclosure: Disclosure | null;
  /** Null: `defaultAnswerMaxAge`. */
  answer_max_age_minutes: number | null;
}

export interface DraftRow {
  bot: BotRow;
  policy: BotPolicy;
  draft_revision: number;
  questions: Question[];
  actions: SealedAction[];
  documents: AttachedDocument[];
}

export interface SealedAction {
  id: string;
  name: string;
  description: string;
  endpoint: string;
  method: ActionMethod;
  headers_sealed: string;
  body: BodyItem[];
  parameters: ActionParameter[];
}

export interface AttachedDocument {
  id: string;
  name: string;
  ref: string;
  status: 'processing' | 'ready' | 'failed';
}

/** Reads the draft in one statement, so that its parts are consistent. */
export async function selectDraft(
  db: Database | Transaction,
  scope: Scope,
  botId: string,
): Promise<DraftRow | undefined> {
  type Row = BotRow & BotPolicy & Omit<DraftRow, 'bot' | 'policy'>;
  const { rows } = await sql<Row>`
    select ${sql.join(botColumns.map((column) => sql.ref(`b.${column}`)))}, b.draft_revision, b.questions,
      p.purpose, p.disclosure, p.answer_max_age_minutes,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'description', a.description,
          'endpoint', a.endpoint, 'method', a.method, 'headers_sealed', encode(a.headers_sealed, 'base64'),
          'body', a.body, 'parameters', a.parameters) order by a.position)
        from bot_actions a where a.bot_id = b.id), '[]') as actions,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'ref', d.ai_provider_id,
          'status', d.provider_status) order by bd.position)
        from bot_documents bd ${joinDocument('bd.document_id')} where bd.bot_id = b.id), '[]') as documents
    from bots b left join bot_policies p on p.bot_id = b.id
    where b.id = ${botId} and b.state = 'live'
      and ${inScope(scope, 'b.team_id')}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const { draft_revision, questions, actions, documents, ...more } = row;
  const { purpose, disclosure, answer_max_age_minutes, ...bot } = more;
  const policy = { purpose, disclosure, answer_max_age_minutes };
  return { bot, policy, draft_revision, questions, actions, documents };
}

/** Keeps omitted members. */
export async function writePolicy(
  tx: Transaction,
  { teamId, botId }: BotOwner,
  { purpose, disclosure, answer_max_age_minutes }: Partial<BotPolicy>,
): Promise<void> {
  if ([purpose, disclosure, answer_max_age_minutes].every((member) => member === undefined)) return;
  const changed = {
    ...(answer_max_age_minutes === undefined ? {} : { answer_max_age_minutes }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(disclosure === undefined ? {} : { disclosure: disclosure && JSON.stringify(disclosure) }),
  };
  await tx
    .insertInto('bot_policies')
    .values({ bot_id: botId, team_id: teamId, ...changed })
    .onConflict((conflict) => conflict.column('bot_id').doUpdateSet(changed))
    .execute();
}

export async function replaceActions(
  tx: Transaction,
  { teamId, botId }: BotOwner,
  actions: readonly (Omit<SealedAction, 'headers_sealed'> & { headers_sealed: Buffer })[],
): Promise<void> {
  await tx.deleteFrom('bot_actions').where('bot_id', '=', botId).execute();
  if (actions.length === 0) return;
  await tx
    .insertInto('bot_actions')
    .values(
      actions.map(({ body, parameters, ...action }, position) => ({
        ...action,
        team_id: teamId,
        bot_id: botId,
        position,
        body: JSON.stringify(body),
        parameters: JSON.stringify(parameters),
      })),
    )
    .execute();
}

export async function replaceDocuments(
  tx: Transaction,
  { teamId, botId }: BotOwner,
  documentIds: readonly string[],
): Promise<void> {
  await tx.deleteFrom('bot_documents').where('bot_id', '=', botId).execute();
  if (documentIds.length === 0) return;
  await tx
    .insertInto('bot_documents')
    .values(
      documentIds.map((document_id, position) => ({ team_id: teamId, bot_id: botId, document_id, position })),
    )
    .execute();
}

export interface DraftColumns
  extends Pick<
    BotRow,
    | 'name'
    | 'role'
    | 'description'
    | 'instructions'
    | 'identification_name'
    | 'temperature'
    | 'chat_model_level'
    | 'allow_human'
    | 'use_audio_responses'
    | 'allow_user_audio_requests'
    | 'capture_payments'
    | 'break_lines'
  > {
  questions: readonly Question[];
}

/** Marks the bot as unpublished even if nothing changed. Watched by record_bot_event. */
export async function updateDraftRow(
  tx: Transaction,
  botId: string,
  { questions, ...columns }: Partial<DraftColumns>,
): Promise<BotRow> {
  const row = await tx
    .updateTable('bots')
    .set((eb) => ({
      ...columns,
      ...(questions === undefined ? {} : { questions: JSON.stringify(questions) }),
      published: false,
      draft_revision: eb('draft_revision', '+', 1),
      updated_at: nextUpdate('updated_at'),
    }))
    .where('id', '=', botId)
    .where('state', '=', 'live')
    .returning(botColumns)
    .$narrowType<BotRow>()
    .executeTakeFirstOrThrow();
  return row;
}
