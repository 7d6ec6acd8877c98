import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { type InputIssue, invalidInput, notFound } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestampOrNull } from '../../platform/http/fields.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { lockTeamShared } from '../../tenancy/teams/teams.sql.ts';
import { selectHours, upsertHours } from './hours.queries.ts';
import { type Hours, type PutHours, type StoredHours, weekdays } from './hours.schemas.ts';
import { isOpen } from './opening.ts';

/** Throws `team_not_found` (404). */
export async function getHours(
  db: Database | Transaction,
  clock: Clock,
  { scope }: Actor,
  teamId: string,
): Promise<StoredHours> {
  const row = await selectHours(db, scope, teamId);
  if (row === undefined) throw notFound('team');
  const { hours, timezone, updated_at } = row;
  return {
    hours,
    timezone,
    open: isOpen(hours, clock.now(), timezone),
    updated_at: timestampOrNull(updated_at),
  };
}

/** Throws `team_not_found` (404) and `changed_meanwhile` (400). */
export async function putHours(
  tx: Transaction,
  clock: Clock,
  actor: Actor,
  teamId: string,
  input: PutHours,
): Promise<StoredHours> {
  if (!(await lockTeamShared(tx, actor.scope, teamId))) throw notFound('team');
  const issues = input.hours === undefined ? [] : hoursIssues(input.hours);
  if (issues.length > 0) throw invalidInput(issues);
  const before = await getHours(tx, clock, actor, teamId);
  requireUnchanged(input, before);
  if (!(await upsertHours(tx, teamId, input))) {
    requireUnchanged(input, await getHours(tx, clock, actor, teamId));
    throw new Error('the opening hours were not stored');
  }
  await recordAudit(tx, {
    objectType: 'opening_hours',
    objectId: teamId,
    teamId,
    after: { hours: input.hours ?? null },
  });
  return getHours(tx, clock, actor, teamId);
}

type Times = Hours['week']['monday'];

function hoursIssues({ week, exceptions }: Hours): InputIssue[] {
  const dates = exceptions.map(({ date }) => date);
  return [
    ...weekdays.flatMap((day) => timesIssues(`hours.week.${day}`, week[day])),
    ...exceptions.flatMap(({ date, times }, index) => [
      ...timesIssues(`hours.exceptions[${index}].times`, times),
      ...(dates.indexOf(date) === index
        ? []
        : [{ path: `hours.exceptions[${index}].date`, message: 'must differ from the other dates' }]),
      ...(isDate(date)
        ? []
        : [{ path: `hours.exceptions[${index}].date`, message: 'must be a date of the calendar' }]),
    ]),
  ];
}

const isDate = (date: string): boolean => {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
};

const timesIssues = (path: string, times: Times): InputIssue[] =>
  times.flatMap(({ from, until }, index) => {
    const before = times[index - 1];
    return [
      ...(from < until ? [] : [{ path: `${path}[${index}].until`, message: 'must be later than from' }]),
      ...(before === undefined || before.until <= from
        ? []
        : [{ path: `${path}[${index}].from`, message: 'must not be before the end of the time before' }]),
    ];
  });
