import type { Database } from './database.ts';

/** Tells this deployment's objects and tokens from another's. */
export async function readInstallationId(db: Database): Promise<string> {
  const row = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Whether the database answers now, within the driver's connection timeout. */
export async function databaseAnswers(db: Database): Promise<boolean> {
  return readInstallationId(db).then(
    () => true,
    () => false,
  );
}
