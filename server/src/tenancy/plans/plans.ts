import type { Transaction } from '../../platform/database/database.ts';
import { badRequest, type InputIssue, notFound } from '../../platform/http/errors.ts';
import { countTeamsOnPlan } from '../teams/teams.sql.ts';
import { deletePlanRow, lockPlan, type PlanRow, upsertPlan } from './plans.queries.ts';
import type { Plan, PutPlan } from './plans.schemas.ts';

const planName = /^[a-z0-9_-]{1,100}$/;

export const planNameIssues = (name: string): InputIssue[] =>
  planName.test(name) ? [] : [{ path: 'name', message: 'must be 1 to 100 characters of a-z, 0-9, _ and -' }];

/** Creates a plan or changes its terms, which apply at once to its teams, except for quotas of their own. */
export async function putPlan(tx: Transaction, name: string, plan: PutPlan): Promise<Plan> {
  return presentPlan(await upsertPlan(tx, name, plan));
}

export async function deletePlan(tx: Transaction, name: string): Promise<void> {
  if (!planName.test(name) || !(await lockPlan(tx, name))) throw notFound('plan');
  const teams = await countTeamsOnPlan(tx, name);
  if (teams > 0)
    throw badRequest('plan_in_use', `Teams on the plan: ${teams}; move them to another plan first`, {
      teams,
    });
  await deletePlanRow(tx, name);
}

export const presentPlan = (row: PlanRow): Plan => ({
  name: row.name,
  features: { allowActiveMessaging: row.allow_active_messaging },
  active_messages_monthly: row.active_messages_monthly,
  paying: row.paying,
  quotas: {
    bots: row.bots,
    accounts: row.accounts,
    characters: row.characters,
    documents: row.documents,
    members: row.members,
    credits: row.credits,
  },
});
