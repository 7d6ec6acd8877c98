import { type QueryExecutorProvider, sql } from 'kysely';
import type { Language } from './languages.ts';
import type { Passage } from './passages.ts';
import { type NewObject, onlyRow } from './tagged-objects.sql.ts';

export type Db = QueryExecutorProvider;

export interface NewDocument extends NewObject {
  contentHash: string;
  name: string;
  language: Language;
}

export type DocumentState = 'processing' | 'ready' | 'failed';

/** Hashes in the sketch of a document. The estimate of a share of common words has a standard error of about 0.04. */
export const sketchSize = 128;
/** Shorter documents may share most of their words by chance. */
export const minSketch = 12;
/** Documents that share this much of their words are versions of one document. */
export const versionShare = 0.7;
/** Comparing takes about 30 µs for each document. */
const mostCompared = 2_000;

/** Returns an existing document of the same operation and content, in any state. */
export async function insertDocument(
  db: Db,
  document: NewDocument,
): Promise<{ ref: string; language: Language; state: DocumentState }> {
  const { ref, installationId, tag, createdAt } = document;
  const result = await sql<{ ref: string; language: Language; state: DocumentState }>`
    insert into embedded_provider.documents
      (ref, installation_id, team_id, object_id, operation, content_hash, name, language, state, created_at)
    values (${ref}, ${installationId}, ${tag.teamId}, ${tag.objectId}, ${tag.operation},
      ${document.contentHash}, ${document.name}, ${document.language}, 'processing', ${createdAt})
    on conflict (installation_id, operation, content_hash) do update set operation = excluded.operation
    returning ref, language, state`.execute(db);
  return onlyRow(result.rows);
}

export interface NewPassage extends Passage {
  ordinal: number;
  terms: readonly string[];
}

/** Keeps existing passages, with the new terms. */
export async function upsertPassages(
  db: Db,
  documentRef: string,
  passages: readonly NewPassage[],
): Promise<void> {
  const rows = JSON.stringify(passages);
  await sql`
    insert into embedded_provider.passages (document_ref, ordinal, page, heading, text, terms)
    select ${documentRef}, p.ordinal, p.page, p.heading, p.text, p.terms
    from jsonb_to_recordset(${rows}::jsonb)
      as p(ordinal int, page int, heading text, text text, terms text[])
    where exists (select from embedded_provider.documents where ref = ${documentRef})
    on conflict (document_ref, ordinal) do update set terms = excluded.terms
      where passages.terms <> excluded.terms`.execute(db);
}

/** Makes the index from the terms of the passages. Does nothing if the document was deleted. */
export async function completeDocument(db: Db, documentRef: string, indexVersion: number): Promise<void> {
  // The lock on the document's row keeps a deletion from leaving postings behind.
  await sql`
    with document as (
      select ref from embedded_provider.documents where ref = ${documentRef} for no key update
    ),
    fresh as materialized (
      select document_ref, term, array_agg(ordinal order by ordinal) as ordinals
      from document join embedded_provider.passages on document_ref = ref, unnest(terms) as term
      group by document_ref, term
    ),
    stale as (
      delete from embedded_provider.postings
      where document_ref = ${documentRef} and term not in (select term from fresh)
    ),
    indexed as (
      insert into embedded_provider.postings (document_ref, term, ordinals)
      select document_ref, term, ordinals from fresh
      on conflict (document_ref, term) do update set ordinals = excluded.ordinals
        where postings.ordinals <> excluded.ordinals
    )
    update embedded_provider.documents as indexed_document
    set index_version = ${indexVersion}, passage_count = total.passages,
        sketch = array(
          select hash from (
            select ('x' || left(md5(term), 8))::bit(32)::int as hash
            from (select distinct term from fresh) as words where term !~ '\\d'
          ) as hashes order by hash limit ${sketchSize}
        ),
        terms_digest = (select md5(string_agg(term, ' ' order by term)) from (select distinct term from fresh) as words),
        latest_year = (select max(term::int) from fresh where term ~ '^20[0-4]\\d$'),
        state = case when total.passages = 0 then 'failed' else 'ready' end
    from document, (
      select count(*)::int as passages from embedded_provider.passages where document_ref = ${documentRef}
    ) as total
    where indexed_document.ref = document.ref`.execute(db);
}

/** Returns one document of each team with terms of another version. */
export async function findDocumentsToIndex(
  db: Db,
  installationId: string,
  indexVersion: number,
): Promise<Pick<SearchableDocument, 'ref' | 'language'>[]> {
  // At random, so that a document that always fails does not block the others of its team.
  const result = await sql<Pick<SearchableDocument, 'ref' | 'language'>>`
    select distinct on (team_id) ref, language
    from embedded_provider.documents
    where installation_id = ${installationId} and state = 'ready' and index_version < ${indexVersion}
    order by team_id, random()`.execute(db);
  return result.rows;
}

/** Returns passages in reading order. */
export async function findPassages(
  db: Db,
  documentRef: string,
  firstOrdinal: number,
  limit: number,
): Promise<Passage[]> {
  const result = await sql<Passage>`
    select page, heading, text from embedded_provider.passages
    where document_ref = ${documentRef} and ordinal >= ${firstOrdinal}
    order by ordinal
    limit ${limit}`.execute(db);
  return result.rows;
}

export async function findDocumentState(
  db: Db,
  installationId: string,
  ref: string,
): Promise<DocumentState | null> {
  const result = await sql<{ state: DocumentState }>`
    select state from embedded_provider.documents
    where ref = ${ref} and installation_id = ${installationId}`.execute(db);
  return result.rows[0]?.state ?? null;
}

export interface SearchableDocument {
  ref: string;
  name: string;
  language: Language;
  passageCount: number;
  createdAt: Date;
  /** The smallest hashes of its words. Empty for a document that an earlier version of Parley indexed. */
  sketch: readonly number[];
  /** Same for documents with the same words and numbers. */
  termsDigest: string | null;
  latestYear: number | null;
}

export async function findSearchableDocuments(
  db: Db,
  installationId: string,
  teamId: string,
  refs: readonly string[],
): Promise<SearchableDocument[]> {
  if (refs.length === 0) return [];
  const result = await sql<SearchableDocument>`
    select ref, name, language, passage_count as "passageCount", created_at as "createdAt",
      coalesce(sketch, '{}') as sketch, terms_digest as "termsDigest", latest_year as "latestYear"
    from embedded_provider.documents
    where ref = any(${refs}::text[]) and installation_id = ${installationId} and team_id = ${teamId}
      and state = 'ready'`.execute(db);
  return result.rows;
}

/** Returns the refs of ready documents of the same team that are nearly the same, most similar first. */
export async function findSimilarDocuments(
  db: Db,
  installationId: string,
  ref: string,
  limit: number,
): Promise<string[]> {
  const result = await sql<{ ref: string }>`
    with given as (
      select ref, team_id, sketch from embedded_provider.documents
      where ref = ${ref} and installation_id = ${installationId} and cardinality(sketch) >= ${minSketch}
    )
    select d.ref
    from given,
    lateral (
      select * from embedded_provider.documents
      where team_id = given.team_id and installation_id = ${installationId} and state = 'ready' and ref <> given.ref
      order by created_at desc limit ${mostCompared}
    ) as d,
    lateral (
      select count(*) filter (where in_given and in_other)::float8 / count(*) as share
      from (
        select bool_or(is_given) as in_given, bool_or(not is_given) as in_other
        from (
          select unnest(given.sketch) as hash, true as is_given
          union all select unnest(d.sketch), false
        ) as hashes
        group by hash order by hash limit ${sketchSize}
      ) as smallest
    ) as common
    where cardinality(d.sketch) >= ${minSketch} and share >= ${versionShare}
    order by share desc, d.created_at desc limit ${limit}`.execute(db);
  return result.rows.map((row) => row.ref);
}

/** Omits terms without passages. */
export async function countPassagesWithTerms(
  db: Db,
  documentRefs: readonly string[],
  terms: readonly string[],
): Promise<Map<string, number>> {
  const result = await sql<{ term: string; passages: number }>`
    select term, sum(cardinality(ordinals))::int as passages
    from embedded_provider.postings
    where document_ref = any(${documentRefs}::text[]) and term = any(${terms}::text[])
    group by term`.execute(db);
  return new Map(result.rows.map(({ term, passages }) => [term, passages]));
}

/** Bounds the terms that are read. */
const mostSimilarTerms = 2_000;

/** Returns terms of the documents with the same first letter and about the same length as one of the words. */
export async function findSimilarTerms(
  db: Db,
  documentRefs: readonly string[],
  words: readonly string[],
): Promise<string[]> {
  const result = await sql<{ term: string }>`
    select distinct term
    from embedded_provider.postings, unnest(${words}::text[]) as word
    where document_ref = any(${documentRefs}::text[]) and left(term, 1) = left(word, 1)
      and length(term) between length(word) - 1 and length(word) + 1
    limit ${mostSimilarTerms}`.execute(db);
  return result.rows.map(({ term }) => term);
}

export interface FoundPassage extends Passage {
  documentRef: string;
  /** Its name. */
  document: string;
  /** The day of its upload, as `2026-05-01`. */
  date: string;
  /** Whether the bot also has an older version of the document, so that the date matters to the contact. */
  hasOldVersion?: boolean;
  language: Language;
  ordinal: number;
}

export const passageColumns = sql`p.document_ref as "documentRef", d.name as document,
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD') as date, d.language, p.ordinal, p.page,
  p.heading, p.text`;

/** Returns all passages of the documents in reading order. */
export async function readPassages(db: Db, documentRefs: readonly string[]): Promise<FoundPassage[]> {
  if (documentRefs.length === 0) return [];
  const result = await sql<FoundPassage>`
    select ${passageColumns}
    from embedded_provider.passages p
    join embedded_provider.documents d on d.ref = p.document_ref
    where p.document_ref = any(${documentRefs}::text[])
    order by p.document_ref, p.ordinal`.execute(db);
  return result.rows;
}

/** Ranks passages by the sum of weights over their terms. */
export async function findCandidates(
  db: Db,
  documentRefs: readonly string[],
  terms: ReadonlyMap<string, number>,
  limit: number,
): Promise<FoundPassage[]> {
  const result = await sql<FoundPassage>`
    with best as materialized (
      select i.document_ref, ordinal, sum(q.weight) as weight
      from unnest(${[...terms.keys()]}::text[], ${[...terms.values()]}::float8[]) as q(term, weight)
      join embedded_provider.postings i on i.term = q.term and i.document_ref = any(${documentRefs}::text[]),
      unnest(i.ordinals) as ordinal
      group by i.document_ref, ordinal
      order by weight desc, i.document_ref, ordinal
      limit ${limit}
    )
    select ${passageColumns}
    from best
    join embedded_provider.passages p using (document_ref, ordinal)
    join embedded_provider.documents d on d.ref = document_ref
    order by best.weight desc, p.document_ref, p.ordinal`.execute(db);
  return result.rows;
}

/** The headings are in the first passages of each document, so that a long one costs no more than a short one. */
const passagesWithHeadings = 100;

/** Returns different headings that end with a question mark, in reading order. */
export async function findQuestions(
  db: Db,
  documentRefs: readonly string[],
  limit: number,
): Promise<string[]> {
  const result = await sql<{ heading: string }>`
    select heading from embedded_provider.passages
    where document_ref = any(${documentRefs}::text[]) and ordinal < ${passagesWithHeadings} and heading ~ '[?？؟]\\s*$'
    group by 1
    order by min(ordinal), min(document_ref)
    limit ${limit}`.execute(db);
  return result.rows.map(({ heading }) => heading);
}

export async function stemWords(
  db: Db,
  language: Language,
  forms: readonly string[],
): Promise<{ form: string; stem: string | null }[]> {
  const dictionary = language === 'simple' ? 'simple' : `${language}_stem`;
  const result = await sql<{ form: string; stem: string | null }>`
    select form, (ts_lexize(${dictionary}::text::regdictionary, form))[1] as stem
    from unnest(${forms}::text[]) as form`.execute(db);
  return result.rows;
}

export async function findStopWords(
  db: Db,
  languages: readonly Language[],
  forms: readonly string[],
): Promise<{ language: Language; form: string }[]> {
  const result = await sql<{ language: Language; form: string }>`
    select language, form
    from unnest(${languages}::text[]) as language, unnest(${forms}::text[]) as form
    where ts_lexize((language || '_stem')::regdictionary, form) = '{}'`.execute(db);
  return result.rows;
}
