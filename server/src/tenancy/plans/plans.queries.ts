import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { type Page, pageRange } from '../../platform/http/pagination.ts';
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

const planColumns = [
  'name',
  'allow_active_messaging',
  'active_messages_monthly',
  'paying',
  'bots',
  'accounts',
  'characters',
  'documents',
  'members',
  'credits',
] as const;

export function selectPlans(db: Database, page: Page): Promise<ListPage<PlanRow>> {
  const list = {
    columns: sql.join(planColumns.map(sql.ref)),
    from: sql`plans`,
    order: sql`created_at desc, name`,
  };
  return selectPage(db, list, pageRange(page));
}

export async function upsertPlan(tx: Transaction, name: string, plan: PutPlan): Promise<PlanRow> {
  const terms = {
    allow_active_messaging: plan.features.allowActiveMessaging,
    active_messages_monthly: plan.active_messages_monthly,
    paying: plan.paying,
    ...plan.quotas,
  };
  return tx
    .insertInto('plans')
    .values({ name, ...terms })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(terms))
    .returning(planColumns)
    .executeTakeFirstOrThrow();
}

/** Prevents teams from switching to the plan. Returns false if the plan does not exist. */
export async function lockPlan(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await sql`select from plans where name = ${name} for update`.execute(tx);
  return rows.length === 1;
}

export async function deletePlanRow(tx: Transaction, name: string): Promise<void> {
  await sql`delete from plans where name = ${name}`.execute(tx);
}
