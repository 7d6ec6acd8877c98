import { sql } from 'kysely';
import { type Db, type FoundPassage, passageColumns } from './knowledge.queries.ts';

/** Returns one document of each team that has passages without a vector of the model. */
export async function findDocumentsToEmbed(
  db: Db,
  installationId: string,
  model: string,
): Promise<{ ref: string; teamId: string }[]> {
  // At random, so that a document that always fails does not block the others of its team.
  const result = await sql<{ ref: string; teamId: string }>`
    select distinct on (team_id) ref, team_id as "teamId"
    from embedded_provider.documents
    where installation_id = ${installationId} and state = 'ready' and vectors_model is distinct from ${model}
    order by team_id, random()`.execute(db);
  return result.rows;
}

export type PassageToEmbed = Pick<FoundPassage, 'ordinal' | 'heading' | 'text'>;

export async function findPassagesToEmbed(
  db: Db,
  documentRef: string,
  model: string,
  limit: number,
): Promise<PassageToEmbed[]> {
  const result = await sql<PassageToEmbed>`
    select p.ordinal, p.heading, p.text
    from embedded_provider.passages p
    left join embedded_provider.passage_vectors v
      on v.document_ref = p.document_ref and v.ordinal = p.ordinal and v.model = ${model}
    where p.document_ref = ${documentRef} and v.ordinal is null
    order by p.ordinal
    limit ${limit}`.execute(db);
  return result.rows;
}

export interface EncodedVector {
  ordinal: number;
  /** Null if the model refuses the passage. */
  signs: string | null;
  vector: Uint8Array | null;
}

/** Replaces vectors of other models. Does nothing if the document was deleted. */
export async function insertVectors(
  db: Db,
  documentRef: string,
  model: string,
  vectors: readonly EncodedVector[],
): Promise<void> {
  // The lock on the document's row keeps a deletion from leaving vectors behind.
  await sql`
    with document as (
      select ref from embedded_provider.documents where ref = ${documentRef} for key share
    )
    insert into embedded_provider.passage_vectors (document_ref, ordinal, model, signs, vector)
    select document.ref, v.ordinal, ${model}, v.signs, v.vector
    from document, unnest(
      ${vectors.map(({ ordinal }) => ordinal)}::int[],
      ${vectors.map(({ signs }) => signs)}::varbit[],
      ${vectors.map(({ vector }) => vector)}::bytea[]
    ) as v(ordinal, signs, vector)
    on conflict (document_ref, ordinal)
      do update set model = excluded.model, signs = excluded.signs, vector = excluded.vector`.execute(db);
}

export async function completeVectors(db: Db, documentRef: string, model: string): Promise<void> {
  await sql`
    update embedded_provider.documents set vectors_model = ${model} where ref = ${documentRef}`.execute(db);
}

/** Returns the passages whose vectors' signs differ least from those of the question. The last ones may have another length. */
export async function findNearVectors(
  db: Db,
  documentRefs: readonly string[],
  { model, signs, limit }: { model: string; signs: string; limit: number },
): Promise<(FoundPassage & { vector: Uint8Array })[]> {
  // A model may change the length of its vectors under the same name. PostgreSQL cannot compare signs of different lengths,
  // and it would underestimate the rows of a condition on the length.
  const result = await sql<FoundPassage & { vector: Uint8Array }>`
    with near as materialized (
      select document_ref, ordinal, vector
      from embedded_provider.passage_vectors
      where document_ref = any(${documentRefs}::text[]) and model = ${model} and vector is not null
      order by case when length(signs) = ${signs.length} then bit_count(signs # ${signs}::varbit) end
      limit ${limit}
    )
    select ${passageColumns}, near.vector
    from near
    join embedded_provider.passages p using (document_ref, ordinal)
    join embedded_provider.documents d on d.ref = document_ref`.execute(db);
  return result.rows;
}
