import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { type ListPage, selectPage } from '../database/list-pages.ts';
import { type Page, pageRange } from '../http/pagination.ts';
import type { PutPlan } from './plans.schemas.ts';

export interface PlanRow {
  name: string;
  allow_active_messaging: boolean;
  active_messages_monthly: number;
  paying: boolean;
  bots: number;
  accounts: number;
  characters: number;
  documents: number;
  members: number;
  credits: number;
}

/** Newest first; those made at the same time by name. */
export function selectPlans(db: Database, page: Page): Promise<ListPage<PlanRow>> {
  const list = { columns: sql`plans.*`, from: sql`plans`, order: sql`created_at desc, name` };
  return selectPage(db, list, pageRange(page));
}

/** Makes the plan, or gives the one of that name these terms. */
export async function upsertPlan(db: Database, name: string, plan: PutPlan): Promise<PlanRow> {
  const terms = {
    allow_active_messaging: plan.features.allowActiveMessaging,
    active_messages_monthly: plan.active_messages_monthly,
    paying: plan.paying,
    ...plan.quotas,
  };
  return db
    .insertInto('plans')
    .values({ name, ...terms })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(terms))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Holds the plan's row, so that no team takes the plan until the end of the transaction. False when there is none. */
export async function lockPlan(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await sql`select from plans where name = ${name} for update`.execute(tx);
  return rows.length === 1;
}

export async function countTeamsOnPlan(tx: Transaction, name: string): Promise<number> {
  const { rows } = await sql<{ teams: number }>`
    select count(*) as teams from teams where plan_name = ${name}`.execute(tx);
  return rows[0]?.teams ?? 0;
}

export async function deletePlanRow(tx: Transaction, name: string): Promise<void> {
  await sql`delete from plans where name = ${name}`.execute(tx);
}
