import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

export const joinPlan = sql`join plans p on p.name = t.plan_name`;

/** For a `from` clause. `name` is a value or an expression. */
export const planNamed = (name: string | RawBuilder<unknown>) => sql`plans where plans.name = ${name}`;

export async function selectPlanNames(db: Database | Transaction): Promise<string[]> {
  const rows = await db.selectFrom('plans').select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
}

export async function lockPlanShared(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await sql`select from ${planNamed(name)} for key share`.execute(tx);
  return rows.length === 1;
}
