import type { Static } from 'typebox';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { lockPlanShared, selectPlanNames } from '../plans/plans.sql.ts';
import { lockTeamForUpdate, selectTeam, updateTeamRow } from './teams.queries.ts';
import type { TeamDetail, UpdateTeam } from './teams.schemas.ts';
import { presentTeamDetail, unknownPlanError } from './teams.ts';

/** Fields that only keys of scope `all` may change. */
export const deploymentFields = ['plan_name', 'paying', 'banned', 'quotas'] as const;

/** Stops the devices of a team that is banned, and returns their ids. */
export type StopDevices = (tx: Transaction, teamId: string) => Promise<string[]>;

/** Changes a team. Banning stops its devices; `stopped` lists their ids. */
export async function updateTeam(
  tx: Transaction,
  actor: Actor,
  id: string,
  input: UpdateTeam,
  stopDevicesOfTeam: StopDevices,
): Promise<{ team: Static<typeof TeamDetail>; stopped: string[] }> {
  await checkPlan(tx, input.plan_name);
  if (input.expected_updated_at !== undefined) {
    await lockTeamForUpdate(tx, id);
    const current = await selectTeam(tx, actor.scope, id);
    if (current === undefined) throw notFound('team');
    requireUnchanged(input, presentTeamDetail(current), ['quotas', 'settings']);
  }
  if ((await updateTeamRow(tx, actor.scope, id, input)) === undefined) throw notFound('team');
  const stopped = input.banned === true ? await stopDevicesOfTeam(tx, id) : [];
  const row = await selectTeam(tx, actor.scope, id);
  if (row === undefined) throw notFound('team');
  return { team: presentTeamDetail(row), stopped };
}

/** Throws `invalid_input` for an unknown plan. Locks a known one until the commit. */
async function checkPlan(tx: Transaction, name: string | undefined): Promise<void> {
  if (name === undefined || (await lockPlanShared(tx, name))) return;
  throw unknownPlanError('plan_name', await selectPlanNames(tx));
}
