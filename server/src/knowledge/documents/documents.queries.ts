import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { containsText } from '../../platform/database/filters.ts';
import {
  isWithin,
  type ListPage,
  selectCountedPage,
  selectMatchingPage,
} from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';
import type { DocumentType } from './document-type.ts';
import type { ListDocuments } from './documents.schemas.ts';

export interface DocumentRow {
  id: string;
  team_id: string;
  name: string;
  type: DocumentType;
  size: number;
  ai_provider_id: string;
  file_key: string;
  chars: number;
  provider_status: 'processing' | 'ready' | 'failed';
  created_at: Date;
  updated_at: Date;
}

const columns = [
  'id',
  'team_id',
  'name',
  'type',
  'size',
  'ai_provider_id',
  'file_key',
  'chars',
  'provider_status',
  'created_at',
  'updated_at',
] as const;
const allColumns = sql.join(columns.map((column) => sql.ref(column)));

export function selectDocuments(
  db: Database,
  scope: Scope,
  query: ListDocuments,
): Promise<ListPage<DocumentRow>> {
  const { team_id, name, type } = query;
  const ofTeam = [
    ...(scope.kind === 'all' ? [] : [sql`team_id = ${scope.teamId}`]),
    ...(team_id === undefined ? [] : [sql`team_id = ${team_id}`]),
  ];
  const ofType = type === undefined ? [] : [sql`type = ${type}`];
  // Names are stored in NFC.
  const ofName = name === undefined ? [] : [containsText(sql.ref('name'), name.normalize('NFC'))];
  const ofTime = isWithin('created_at', query);
  const where = sql.join([sql`state = 'live'`, ...ofTeam, ...ofType, ...ofName, ...ofTime], sql` and `);
  const list = { table: 'documents', columns, where };
  if (name !== undefined) return selectMatchingPage(db, list, pageRange(query));
  const counts = sql.table(ofTeam.length === 0 ? 'document_totals' : 'document_counts');
  const total =
    ofTime.length > 0
      ? sql`select count(*) from documents where ${where}`
      : sql`select coalesce(sum(documents), 0) from ${counts} where ${sql.join([sql`true`, ...ofTeam, ...ofType], sql` and `)}`;
  return selectCountedPage(db, { ...list, total }, pageRange(query));
}

export async function selectDocument(
  db: Database | Transaction,
  scope: Scope,
  id: string,
  lock: 'for update' | 'no lock' = 'no lock',
): Promise<DocumentRow | undefined> {
  const { rows } = await sql<DocumentRow>`
    select ${allColumns} from documents where id = ${id} and state = 'live' and ${inScope(scope, 'team_id')}
    ${lock === 'for update' ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** Returns live documents of the team, in the order of `refs`. */
export async function selectDocumentsByRef(
  tx: Transaction,
  teamId: string,
  refs: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (refs.length === 0) return [];
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from documents
    where team_id = ${teamId} and ai_provider_id = any(${refs}::text[]) and state = 'live'
    order by array_position(${refs}::text[], ai_provider_id)`.execute(tx);
  return rows;
}

export async function updateName(
  tx: Transaction,
  id: string,
  name: string,
): Promise<DocumentRow | undefined> {
  const { rows } = await sql<DocumentRow>`
    update documents set name = ${name}, updated_at = ${nextUpdate('updated_at')} where id = ${id} returning ${allColumns}`.execute(
    tx,
  );
  return rows[0];
}

/** Also deletes it from drafts and versions. Locks the team first, like the deletion of a team. Watched by count_documents. */
export async function deleteDocumentRow(
  tx: Transaction,
  scope: Scope,
  id: string,
): Promise<(DocumentRow & { charged_characters: number }) | undefined> {
  const { rows } = await sql<DocumentRow & { charged_characters: number }>`
    delete from documents where id in (
      select d.id from documents d ${joinTeam('d.team_id')}
      where d.id = ${id} and d.state = 'live' and ${inScope(scope, 'team_id')} for key share of t for update of d)
    returning ${allColumns}, charged_characters`.execute(tx);
  return rows[0];
}

/** Claims documents whose status the provider still has to report, longest waiting first. */
export async function claimProcessing(
  db: Database,
  options: { limit: number; betweenSeconds: number },
): Promise<{ id: string; ref: string; overdue: boolean }[]> {
  const { rows } = await sql<{ id: string; ref: string; overdue: boolean }>`
    update documents set provider_asked_at = now()
    where id in (
      select id from documents
      where state = 'live' and provider_status = 'processing'
        and (provider_asked_at is null or provider_asked_at < now() - make_interval(secs => ${options.betweenSeconds}))
      order by provider_asked_at nulls first limit ${options.limit} for update skip locked
    )
    returning id, ai_provider_id as ref, created_at < now() - interval '1 hour' as overdue`.execute(db);
  return rows;
}

/** Watched by record_document_event. */
export async function writeProviderStatus(
  db: Database,
  id: string,
  status: 'ready' | 'failed',
): Promise<void> {
  await sql`
    update documents set provider_status = ${status} where id = ${id} and provider_status = 'processing'`.execute(
    db,
  );
}

export async function isAnyProcessing(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from documents where state = 'live' and provider_status = 'processing' limit 1`.execute(db);
  return rows.length > 0;
}
