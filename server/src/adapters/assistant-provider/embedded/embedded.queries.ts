import { type QueryExecutorProvider, sql } from 'kysely';
import type { AssistantSpec, OwnedObject, OwnerTag } from '../assistant-provider.ts';
import type { Language } from './languages.ts';
import type { Passage } from './passages.ts';

export type Db = QueryExecutorProvider;

export interface NewObject {
  ref: string;
  installationId: string;
  tag: OwnerTag;
  createdAt: Date;
}

export type TaggedTable = 'assistants' | 'knowledge_stores';

/** Returns the new ref, or the ref that the same operation inserted before. */
export async function insertTagged(db: Db, table: TaggedTable, object: NewObject): Promise<string> {
  const { ref, installationId, tag, createdAt } = object;
  const result = await sql<{ ref: string }>`
    INSERT INTO ${sql.table(`embedded_provider.${table}`)}
      (ref, installation_id, team_id, object_id, operation, created_at)
    VALUES (${ref}, ${installationId}, ${tag.teamId}, ${tag.objectId}, ${tag.operation}, ${createdAt})
    ON CONFLICT (installation_id, operation) DO UPDATE SET operation = excluded.operation
    RETURNING ref`.execute(db);
  return onlyRow(result.rows).ref;
}

export async function findAssistants(
  db: Db,
  installationId: string,
  refs: readonly string[],
): Promise<Set<string>> {
  const result = await sql<{ ref: string }>`
    SELECT ref FROM embedded_provider.assistants
    WHERE ref = ANY(${refs}::text[]) AND installation_id = ${installationId}`.execute(db);
  return new Set(result.rows.map(({ ref }) => ref));
}

export interface NewRevision {
  assistantRef: string;
  revision: string;
  operation: string;
  contentHash: string;
  spec: AssistantSpec;
  createdAt: Date;
}

/** Returns an existing revision of the same operation and content. */
export async function insertRevision(db: Db, revision: NewRevision): Promise<string> {
  const result = await sql<{ revision: string }>`
    INSERT INTO embedded_provider.revisions
      (assistant_ref, revision, operation, content_hash, spec, created_at)
    VALUES (${revision.assistantRef}, ${revision.revision}, ${revision.operation}, ${revision.contentHash},
      ${JSON.stringify(revision.spec)}, ${revision.createdAt})
    ON CONFLICT (assistant_ref, operation, content_hash) DO UPDATE SET operation = excluded.operation
    RETURNING revision`.execute(db);
  return onlyRow(result.rows).revision;
}

export interface StoredRevision {
  spec: AssistantSpec;
  teamId: string;
}

export async function findRevision(
  db: Db,
  installationId: string,
  ref: string,
  revision: string,
): Promise<StoredRevision | null> {
  const result = await sql<StoredRevision>`
    SELECT r.spec, a.team_id AS "teamId"
    FROM embedded_provider.revisions r
    JOIN embedded_provider.assistants a ON a.ref = r.assistant_ref
    WHERE a.ref = ${ref} AND a.installation_id = ${installationId} AND r.revision = ${revision}`.execute(db);
  return result.rows[0] ?? null;
}

export async function deleteObject(
  db: Db,
  table: TaggedTable | 'documents',
  installationId: string,
  ref: string,
): Promise<void> {
  await sql`
    DELETE FROM ${sql.table(`embedded_provider.${table}`)}
    WHERE ref = ${ref} AND installation_id = ${installationId}`.execute(db);
}

export interface NewDocument extends NewObject {
  contentHash: string;
  name: string;
  language: Language;
}

export type DocumentState = 'processing' | 'ready' | 'failed';

/** Returns an existing document of the same operation and content, in any state. */
export async function insertDocument(
  db: Db,
  document: NewDocument,
): Promise<{ ref: string; language: Language; state: DocumentState }> {
  const { ref, installationId, tag, createdAt } = document;
  const result = await sql<{ ref: string; language: Language; state: DocumentState }>`
    INSERT INTO embedded_provider.documents
      (ref, installation_id, team_id, object_id, operation, content_hash, name, language, state, created_at)
    VALUES (${ref}, ${installationId}, ${tag.teamId}, ${tag.objectId}, ${tag.operation},
      ${document.contentHash}, ${document.name}, ${document.language}, 'processing', ${createdAt})
    ON CONFLICT (installation_id, operation, content_hash) DO UPDATE SET operation = excluded.operation
    RETURNING ref, language, state`.execute(db);
  return onlyRow(result.rows);
}

export interface NewPassage extends Passage {
  ordinal: number;
  wordCount: number;
  terms: readonly string[];
}

/** Keeps existing passages. */
export async function insertPassages(
  db: Db,
  documentRef: string,
  passages: readonly NewPassage[],
): Promise<void> {
  const rows = JSON.stringify(passages);
  await sql`
    INSERT INTO embedded_provider.passages (document_ref, ordinal, page, heading, text, word_count, terms)
    SELECT ${documentRef}, p.ordinal, p.page, p.heading, p.text, p."wordCount", p.terms
    FROM jsonb_to_recordset(${rows}::jsonb)
      AS p(ordinal int, page int, heading text, text text, "wordCount" int, terms text[])
    WHERE EXISTS (SELECT FROM embedded_provider.documents WHERE ref = ${documentRef})
    ON CONFLICT DO NOTHING`.execute(db);
}

export async function completeDocument(db: Db, documentRef: string): Promise<void> {
  await sql`
    WITH indexed AS (
      INSERT INTO embedded_provider.postings (document_ref, term, ordinals)
      SELECT document_ref, term, array_agg(ordinal ORDER BY ordinal)
      FROM embedded_provider.passages, unnest(terms) AS term
      WHERE document_ref = ${documentRef}
      GROUP BY document_ref, term
      ON CONFLICT DO NOTHING
    )
    UPDATE embedded_provider.documents
    SET passage_count = total.passages,
        word_count = total.words,
        state = CASE WHEN total.passages = 0 THEN 'failed' ELSE 'ready' END
    FROM (
      SELECT count(*)::int AS passages, coalesce(sum(word_count), 0)::int AS words
      FROM embedded_provider.passages WHERE document_ref = ${documentRef}
    ) AS total
    WHERE ref = ${documentRef}`.execute(db);
}

export async function findDocumentState(
  db: Db,
  installationId: string,
  ref: string,
): Promise<DocumentState | null> {
  const result = await sql<{ state: DocumentState }>`
    SELECT state FROM embedded_provider.documents
    WHERE ref = ${ref} AND installation_id = ${installationId}`.execute(db);
  return result.rows[0]?.state ?? null;
}

export interface SearchableDocument {
  ref: string;
  name: string;
  language: Language;
  passageCount: number;
  wordCount: number;
}

export async function findSearchableDocuments(
  db: Db,
  installationId: string,
  teamId: string,
  refs: readonly string[],
): Promise<SearchableDocument[]> {
  if (refs.length === 0) return [];
  const result = await sql<SearchableDocument>`
    SELECT ref, name, language, passage_count AS "passageCount", word_count AS "wordCount"
    FROM embedded_provider.documents
    WHERE ref = ANY(${refs}::text[]) AND installation_id = ${installationId} AND team_id = ${teamId}
      AND state = 'ready'`.execute(db);
  return result.rows;
}

/** Omits terms without passages. */
export async function countPassagesWithTerms(
  db: Db,
  documentRefs: readonly string[],
  terms: readonly string[],
): Promise<Map<string, number>> {
  const result = await sql<{ term: string; passages: number }>`
    SELECT term, sum(cardinality(ordinals))::int AS passages
    FROM embedded_provider.postings
    WHERE document_ref = ANY(${documentRefs}::text[]) AND term = ANY(${terms}::text[])
    GROUP BY term`.execute(db);
  return new Map(result.rows.map(({ term, passages }) => [term, passages]));
}

export interface CandidatePassage extends Passage {
  documentRef: string;
  ordinal: number;
  wordCount: number;
}

/** In characters. Only headings recognised by style are longer. */
const MAX_HEADING_LENGTH = 300;

/** Ranks passages by the sum of weights over their terms. */
export async function findCandidates(
  db: Db,
  documentRefs: readonly string[],
  terms: ReadonlyMap<string, number>,
  limit: number,
): Promise<CandidatePassage[]> {
  const result = await sql<CandidatePassage>`
    WITH best AS MATERIALIZED (
      SELECT i.document_ref, ordinal, sum(q.weight) AS weight
      FROM unnest(${[...terms.keys()]}::text[], ${[...terms.values()]}::float8[]) AS q(term, weight)
      JOIN embedded_provider.postings i ON i.term = q.term AND i.document_ref = ANY(${documentRefs}::text[]),
      unnest(i.ordinals) AS ordinal
      GROUP BY i.document_ref, ordinal
      ORDER BY weight DESC, i.document_ref, ordinal
      LIMIT ${limit}
    )
    SELECT p.document_ref AS "documentRef", p.ordinal, p.page, left(p.heading, ${MAX_HEADING_LENGTH}) AS heading,
      p.text, p.word_count AS "wordCount"
    FROM best JOIN embedded_provider.passages p USING (document_ref, ordinal)
    ORDER BY best.weight DESC, p.document_ref, p.ordinal`.execute(db);
  return result.rows;
}

export async function stemWords(
  db: Db,
  language: Language,
  forms: readonly string[],
): Promise<{ form: string; stem: string | null }[]> {
  const dictionary = language === 'simple' ? 'simple' : `${language}_stem`;
  const result = await sql<{ form: string; stem: string | null }>`
    SELECT form, (ts_lexize(${dictionary}::text::regdictionary, form))[1] AS stem
    FROM unnest(${forms}::text[]) AS form`.execute(db);
  return result.rows;
}

export async function findStopWords(
  db: Db,
  languages: readonly Language[],
  forms: readonly string[],
): Promise<{ language: Language; form: string }[]> {
  const result = await sql<{ language: Language; form: string }>`
    SELECT language, form
    FROM unnest(${languages}::text[]) AS language, unnest(${forms}::text[]) AS form
    WHERE ts_lexize((language || '_stem')::regdictionary, form) = '{}'`.execute(db);
  return result.rows;
}

/** Ordered by kind and ref. */
export async function listObjects(
  db: Db,
  installationId: string,
  after: { kind: string; ref: string },
  limit: number,
): Promise<OwnedObject[]> {
  const result = await sql<Omit<OwnedObject, 'tag'> & OwnerTag>`
    SELECT kind, ref, team_id AS "teamId", object_id AS "objectId", operation, created_at AS "createdAt"
    FROM (
      SELECT 'assistant' AS kind, ref, installation_id, team_id, object_id, operation, created_at
      FROM embedded_provider.assistants
      UNION ALL
      SELECT 'document', ref, installation_id, team_id, object_id, operation, created_at
      FROM embedded_provider.documents
      UNION ALL
      SELECT 'knowledge', ref, installation_id, team_id, object_id, operation, created_at
      FROM embedded_provider.knowledge_stores
    ) AS owned
    WHERE installation_id = ${installationId} AND (kind, ref) > (${after.kind}, ${after.ref})
    ORDER BY kind, ref
    LIMIT ${limit}`.execute(db);
  return result.rows.map(({ kind, ref, teamId, objectId, operation, createdAt }) => ({
    kind,
    ref,
    tag: { teamId, objectId, operation },
    createdAt,
  }));
}

function onlyRow<Row>(rows: readonly Row[]): Row {
  const row = rows[0];
  if (row === undefined) throw new Error('The statement returned no row');
  return row;
}
