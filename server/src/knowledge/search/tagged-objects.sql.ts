import { type QueryExecutorProvider as Db, type SqlBool, sql } from 'kysely';
import type { OwnedObject, OwnerTag } from '../assistant-provider/assistant-provider.ts';

export interface NewObject {
  ref: string;
  installationId: string;
  tag: OwnerTag;
  createdAt: Date;
}

/** The tables whose rows carry the tag of their owner, by the kind of object. */
const tableOfKind = {
  assistant: 'embedded_provider.assistants',
  document: 'embedded_provider.documents',
  knowledge: 'embedded_provider.knowledge_stores',
} satisfies Record<OwnedObject['kind'], string>;

/** Returns the new ref, or the ref that the same operation inserted before. */
export async function insertTagged(
  db: Db,
  kind: 'assistant' | 'knowledge',
  { ref, installationId, tag, createdAt }: NewObject,
): Promise<string> {
  const result = await sql<{ ref: string }>`
    insert into ${sql.table(tableOfKind[kind])} (ref, installation_id, team_id, object_id, operation, created_at)
    values (${ref}, ${installationId}, ${tag.teamId}, ${tag.objectId}, ${tag.operation}, ${createdAt})
    on conflict (installation_id, operation) do update set operation = excluded.operation
    returning ref`.execute(db);
  return onlyRow(result.rows).ref;
}

export async function deleteTagged(
  db: Db,
  kind: OwnedObject['kind'],
  installationId: string,
  ref: string,
): Promise<void> {
  await sql`
    delete from ${sql.table(tableOfKind[kind])}
    where ref = ${ref} and installation_id = ${installationId}`.execute(db);
}

/** Returns for each object whether it is in the database. */
export async function areTagged(
  db: Db,
  kind: OwnedObject['kind'],
  installationId: string,
  refs: readonly string[],
): Promise<boolean[]> {
  const result = await sql<{ ref: string }>`
    select ref from ${sql.table(tableOfKind[kind])}
    where ref = any(${refs}::text[]) and installation_id = ${installationId}`.execute(db);
  const found = new Set(result.rows.map(({ ref }) => ref));
  return refs.map((ref) => found.has(ref));
}

/** True if documents or knowledge stores are in the database. */
export const existsTaggedKnowledge = sql<SqlBool>`(
  exists (select from ${sql.table(tableOfKind.document)}) or exists (select from ${sql.table(tableOfKind.knowledge)}))`;

const listBatch = 500;

export async function* listTagged(db: Db, installationId: string): AsyncGenerator<OwnedObject> {
  for (const kind of Object.keys(tableOfKind) as OwnedObject['kind'][]) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const result = await sql<Omit<OwnedObject, 'tag' | 'kind'> & OwnerTag>`
        select ref, team_id as "teamId", object_id as "objectId", operation, created_at as "createdAt"
        from ${sql.table(tableOfKind[kind])}
        where installation_id = ${installationId} and ref > ${after}
        order by ref
        limit ${listBatch}`.execute(db);
      for (const { ref, createdAt, ...tag } of result.rows) yield { kind, ref, tag, createdAt };
      after = result.rows.length < listBatch ? undefined : result.rows.at(-1)?.ref;
    }
  }
}

export function onlyRow<Row>(rows: readonly Row[]): Row {
  const row = rows[0];
  if (row === undefined) throw new Error('The statement returned no row');
  return row;
}
