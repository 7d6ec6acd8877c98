import type { Static } from 'typebox';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { type InputIssue, notFound, operationFailed } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { FileStore, OpenFile } from '../../ports/file-store/file-store.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { refundDocument } from '../../tenancy/usage/document-quota.sql.ts';
import { findRenameProblem, toRenamedDocument } from './document-name.ts';
import { documentRefused } from './documents.errors.ts';
import { type DocumentRow, deleteDocumentRow, selectDocument, updateName } from './documents.queries.ts';
import type { Document, RenameDocument } from './documents.schemas.ts';

export async function getDocument(db: Database, scope: Scope, id: string): Promise<DocumentRow> {
  const row = await selectDocument(db, scope, id);
  if (row === undefined) throw notFound('document');
  return row;
}

export function renameIssues(requested: string | undefined): InputIssue[] {
  const problem = requested === undefined ? null : findRenameProblem(requested);
  return problem === null ? [] : [{ path: 'name', message: problem }];
}

/** Returns the document and the names of its changed fields. The name must have no issues. */
export async function renameDocument(
  tx: Transaction,
  scope: Scope,
  id: string,
  input: RenameDocument,
): Promise<{ document: DocumentRow; changes: string[] }> {
  const document = await selectDocument(tx, scope, id, 'for update');
  if (document === undefined) throw notFound('document');
  const renamed = toRenamedDocument(document.name, input.name);
  if (renamed === null) throw documentRefused('extension_changed');
  requireUnchanged({ ...input, name: renamed }, presentDocument(document));
  if (renamed === document.name) return { document, changes: [] };
  const updated = await updateName(tx, id, renamed);
  if (updated === undefined) throw notFound('document');
  return { document: updated, changes: ['name'] };
}

/** Deletes a document and removes it from every bot. External cleanup deletes its file and the provider's copy. */
export async function deleteDocument(tx: Transaction, scope: Scope, id: string): Promise<void> {
  const deleted = await deleteDocumentRow(tx, scope, id);
  if (deleted === undefined) throw notFound('document');
  const teamId = deleted.team_id;
  await scheduleDeletion(tx, [
    { teamId, kind: 'document', ref: deleted.ai_provider_id },
    { teamId, kind: 'file', ref: deleted.file_key },
  ]);
  await refundDocument(tx, teamId, deleted.charged_characters);
}

export async function openDocument(
  { db, fileStore }: { db: Database; fileStore: Pick<FileStore, 'open'> },
  scope: Scope,
  id: string,
): Promise<{ document: DocumentRow; file: OpenFile }> {
  const document = await getDocument(db, scope, id);
  const file = await fileStore.open(document.file_key);
  if (file !== null) return { document, file };
  await getDocument(db, scope, id); // throws when it was deleted meanwhile
  throw operationFailed('file_missing', "The document's file is missing from the store");
}

export const presentDocument = (row: DocumentRow): Static<typeof Document> => ({
  id: row.id,
  team_id: row.team_id,
  name: row.name,
  type: row.type,
  size: row.size,
  ai_provider_id: row.ai_provider_id,
  file_url: row.file_key,
  chars: row.chars,
  provider_status: row.provider_status,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});
