import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { SealedColumn } from '../../platform/shared/encryption.ts';

export interface OldValue {
  /** The row's address, valid while the transaction holds its lock. */
  at: string;
  sealed: Buffer;
  identity: string[];
}

const hasOtherHeader = ({ column }: SealedColumn, header: Buffer) =>
  sql`substring(${sql.ref(column)} from 1 for ${header.length}::int) <> ${header}`;

/** Locks the values that another key sealed in the blocks [from, to). Skips rows that others hold. */
export async function lockOldValues(
  tx: Transaction,
  sealed: SealedColumn,
  header: Buffer,
  { from, to }: { from: number; to: number },
): Promise<OldValue[]> {
  const identity = sql.join(sealed.identity.map((name) => sql`${sql.ref(name)}::text`));
  const { rows } = await sql<OldValue>`
    select ctid::text as at, ${sql.ref(sealed.column)} as sealed, array[${identity}]::text[] as identity
    from ${sql.table(sealed.table)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and ${hasOtherHeader(sealed, header)}
    for no key update skip locked`.execute(tx);
  return rows;
}

export async function replaceValues(
  tx: Transaction,
  { table, column }: SealedColumn,
  values: readonly { at: string; sealed: Buffer }[],
): Promise<void> {
  await sql`
    update ${sql.table(table)} as t set ${sql.ref(column)} = given.sealed
    from unnest(${values.map(({ at }) => at)}::text[], ${values.map(({ sealed }) => sealed)}::bytea[]) as given (at, sealed)
    where t.ctid = given.at::tid`.execute(tx);
}

/** Returns the number of disk blocks of the table. */
export async function countBlocks(db: Database, { table }: SealedColumn): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::int as blocks`.execute(db);
  return rows[0]?.blocks ?? 0;
}

export async function hasOldValues(
  db: Database | Transaction,
  sealed: SealedColumn,
  header: Buffer,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${sql.table(sealed.table)} where ${hasOtherHeader(sealed, header)}) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}
