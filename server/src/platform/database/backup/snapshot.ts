import { sql } from 'kysely';
import type { Database, Transaction } from '../database.ts';

/** Runs `read` on the rows of an exported snapshot. */
export function readSnapshot<Result>(
  db: Database,
  snapshot: string,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`set transaction isolation level repeatable read`.execute(tx);
    await sql.raw(`set transaction snapshot '${snapshot}'`).execute(tx);
    return read(tx);
  });
}
