import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

/** The headings of documents, in the order of the text. None of documents that OpenAI keeps. */
export async function selectHeadings(
  db: Database | Transaction,
  { teamId, documentIds }: { teamId: string; documentIds: readonly string[] },
  limit: number,
): Promise<{ document_id: string; heading: string }[]> {
  const { rows } = await sql<{ document_id: string; heading: string }>`
    select d.object_id as document_id, p.heading
    from embedded_provider.documents d join embedded_provider.passages p on p.document_ref = d.ref
    where d.team_id = ${teamId} and d.object_id = any(${[...documentIds]}::text[]) and d.state = 'ready' and p.heading <> ''
    group by d.object_id, p.heading order by d.object_id, min(p.ordinal) limit ${limit}`.execute(db);
  return rows;
}
