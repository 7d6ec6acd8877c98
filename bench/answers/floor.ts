import { sql } from 'kysely';
import { LIBRARY, type Library } from './library.ts';

/** The length of a reply in characters. */
const LONGEST_REPLY = 600;

/**
 * Returns the passage that PostgreSQL ranks first, cut to the length of a reply. The floor cannot abstain: it answers
 * whenever a word of the question occurs.
 */
export async function floorAnswer(
  { db }: Library,
  configuration: string,
  documentRefs: readonly string[],
  question: string,
): Promise<{ text: string; answered: boolean }> {
  const result = await sql<{ text: string }>`
    WITH query AS (
      SELECT replace(plainto_tsquery(${configuration}::text::regconfig, ${question})::text, ' & ', ' | ')::tsquery AS terms
    )
    SELECT p.text
    FROM query, embedded_provider.passages p
    JOIN embedded_provider.documents d ON d.ref = p.document_ref
    WHERE p.document_ref = ANY(${documentRefs}::text[]) AND d.installation_id = ${LIBRARY.installationId}
      AND to_tsvector(${configuration}::text::regconfig, p.text) @@ query.terms
    ORDER BY ts_rank(to_tsvector(${configuration}::text::regconfig, p.text), query.terms) DESC
    LIMIT 1`.execute(db);
  const text = result.rows[0]?.text ?? '';
  return { text: text.slice(0, LONGEST_REPLY), answered: text !== '' };
}
