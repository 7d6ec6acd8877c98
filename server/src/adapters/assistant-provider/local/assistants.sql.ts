import { type QueryExecutorProvider as Db, sql } from 'kysely';

/** Returns the ref of the revision's knowledge store. */
export async function findStoreOfRevision(db: Db, ref: string, revision: string): Promise<string | null> {
  const result = await sql<{ storeRef: string }>`
    SELECT spec #>> '{knowledge,storeRef}' AS "storeRef" FROM embedded_provider.revisions
    WHERE assistant_ref = ${ref} AND revision = ${revision}`.execute(db);
  return result.rows[0]?.storeRef ?? null;
}
