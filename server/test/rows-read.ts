import { sql } from 'kysely';
import type { Database, Transaction } from '../src/platform/database/database.ts';

/** Returns how many rows of a table `work` reads, once for each table or index that it reads them from. */
export const rowsRead = (
  db: Database,
  table: string,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const readSoFar = async () => {
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
        where relname = ${table}`.execute(tx);
      return rows[0]?.read ?? 0;
    };
    const before = await readSoFar();
    await work(tx);
    return (await readSoFar()) - before;
  });
