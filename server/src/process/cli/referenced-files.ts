import { selectMediaFiles } from '../../chat/messages/message-media.sql.ts';
import { selectDocumentFiles } from '../../knowledge/documents/documents.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';

/** A file that a row refers to. */
export interface ReferencedFile {
  owner: 'document' | 'message';
  /** Of the document or message. */
  id: string;
  key: string;
  /** In bytes. */
  size: number;
}

/** Of all teams by default. */
export async function selectReferencedFiles(
  db: Database | Transaction,
  scope: Scope = { kind: 'all' },
): Promise<ReferencedFile[]> {
  const [documents, media] = [await selectDocumentFiles(db, scope), await selectMediaFiles(db, scope)];
  return [
    ...documents.map((file) => ({ owner: 'document' as const, ...file })),
    ...media.map((file) => ({ owner: 'message' as const, ...file })),
  ];
}
