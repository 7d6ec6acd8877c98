import { sql } from 'kysely';
import { benchOwner, type Library } from './library.ts';

/** The length of a reply in characters. */
const longestReply = 600;

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
    with query as (
      select replace(plainto_tsquery(${configuration}::text::regconfig, ${question})::text, ' & ', ' | ')::tsquery as terms
    )
    select p.text
    from query, embedded_provider.passages p
    join embedded_provider.documents d on d.ref = p.document_ref
    where p.document_ref = any(${documentRefs}::text[]) and d.installation_id = ${benchOwner.installationId}
      and to_tsvector(${configuration}::text::regconfig, p.text) @@ query.terms
    order by ts_rank(to_tsvector(${configuration}::text::regconfig, p.text), query.terms) desc
    limit 1`.execute(db);
  const text = result.rows[0]?.text ?? '';
  return { text: text.slice(0, longestReply), answered: text !== '' };
}
