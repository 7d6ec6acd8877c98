import type { Static } from 'typebox';
import type { Transaction } from '../database/database.ts';
import type { Actor } from '../http/actor.ts';
import { forbidden, invalidInput, notFound } from '../http/errors.ts';
import { settingsIssues } from './team-settings.ts';
import { planExists, selectPlanNames, selectTeam, stopDevices, updateTeamRow } from './teams.queries.ts';
import type { TeamDetail, UpdateTeam } from './teams.schemas.ts';
import { presentTeamDetail, unknownPlan } from './teams.ts';

/** What the deployment grants a team; a key of the team itself cannot change it. */
const granted = ['plan_name', 'paying', 'banned', 'quotas'] as const;

/** Changes a team. Banning it stops its devices; `stopped` are their ids. */
export async function updateTeam(
  tx: Transaction,
  actor: Actor,
  id: string,
  input: UpdateTeam,
): Promise<{ team: Static<typeof TeamDetail>; stopped: string[] }> {
  const beyond = granted.find((member) => input[member] !== undefined);
  if (actor.scope.kind === 'team' && beyond !== undefined) {
    throw forbidden('scope', `Changing ${beyond} needs an API key of scope global`);
  }
  await checkInput(tx, input);
  if ((await updateTeamRow(tx, actor.scope, id, input)) === undefined) throw notFound('team');
  const stopped = input.banned === true ? await stopDevices(tx, id) : [];
  const row = await selectTeam(tx, actor.scope, id);
  if (row === undefined) throw notFound('team');
  return { team: presentTeamDetail(row), stopped };
}

async function checkInput(tx: Transaction, { plan_name, settings = {} }: UpdateTeam): Promise<void> {
  const issues = settingsIssues(settings);
  if (issues.length > 0) throw invalidInput(issues);
  if (plan_name !== undefined && !(await planExists(tx, plan_name))) {
    throw unknownPlan('plan_name', await selectPlanNames(tx));
  }
}
