import {
  type DayNumbers,
  type NamedNumbers,
  type Step,
  selectBotDays,
  selectNamedDays,
  selectSettled,
} from '../../chat/answering/bot-days.sql.ts';
import { localTime } from '../../chat/hours/opening.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound, requireValid } from '../../platform/http/errors.ts';
import { timestampOrNull } from '../../platform/http/fields.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { getTeam } from '../../tenancy/teams/teams.ts';
import { selectTeamOfBot } from '../cases/cases.queries.ts';
import {
  type Analytics,
  type AnalyticsNumbers,
  type AnalyticsQuery,
  longestDays,
} from './analytics.schemas.ts';

interface AnalyticsDependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
}

const dayMs = 86_400_000;
const defaultDays = 30;
const listedNames = 20;

/** Throws `bot_not_found` (404) and `validation`. */
export async function readBotAnalytics(
  deps: AnalyticsDependencies,
  actor: Actor,
  botId: string,
  query: AnalyticsQuery,
): Promise<Analytics> {
  const teamId = await selectTeamOfBot(deps.db, actor.scope, botId);
  if (teamId === undefined) throw notFound('bot');
  return readAnalytics(deps, actor, { teamId, botId }, query);
}

/** Of all bots of the team, deleted ones included. Throws `team_not_found` (404) and `validation`. */
export const readTeamAnalytics = (
  deps: AnalyticsDependencies,
  actor: Actor,
  teamId: string,
  query: AnalyticsQuery,
): Promise<Analytics> => readAnalytics(deps, actor, { teamId, botId: null }, query);

async function readAnalytics(
  { db, clock }: AnalyticsDependencies,
  actor: Actor,
  { teamId, botId }: { teamId: string; botId: string | null },
  { by = 'day', ...query }: AnalyticsQuery,
): Promise<Analytics> {
  const { id, settings } = await getTeam(db, actor, teamId);
  const { timezone } = settings;
  const { since, until } = readTime(query, localTime(clock.now(), timezone).date);
  const of = { teamId: id, botId, since, until };
  const days = await selectBotDays(db, of, by);
  const named = await selectNamedDays(db, of, listedNames);
  const known = new Map(days.map((period) => [period.start, period]));
  return {
    since,
    until,
    by,
    timezone,
    resolved_until: timestampOrNull(await selectSettled(db, id)),
    sum: present(days.reduce(add, nothing)),
    periods: listStarts({ since, until }, by).map((start) => ({
      start,
      ...present(known.get(start) ?? nothing),
    })),
    topics: named
      .filter(({ kind }) => kind === 'topic')
      .map(({ name, ...row }) => ({ name, ...outcomesOf(row) })),
    languages: named
      .filter(({ kind }) => kind === 'language')
      .map(({ name, ...row }) => ({ language: name, ...outcomesOf(row) })),
  };
}

const parseDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The schema does not know how many days a month has. */
const isDay = (day: string): boolean =>
  !Number.isNaN(parseDay(day)) && formatDay(parseDay(day)) === day && !day.startsWith('0');

function readTime({ since, until }: Omit<AnalyticsQuery, 'by'>, today: string) {
  const unknown = Object.entries({ since, until }).filter(([, day]) => day !== undefined && !isDay(day));
  requireValid(unknown.map(([path]) => ({ path, message: 'must be a day of the calendar' })));
  const last = parseDay(until ?? today);
  const first = since === undefined ? last - (defaultDays - 1) * dayMs : parseDay(since);
  requireValid(
    first > last
      ? [{ path: 'since', message: 'must not be after until' }]
      : last - first >= longestDays * dayMs
        ? [{ path: 'since', message: `must be at most ${longestDays} days before until` }]
        : [],
  );
  return { since: formatDay(first), until: formatDay(last) };
}

/** Returns the first days of all periods that have a day of the time, as `date_trunc` computes them. */
function listStarts({ since, until }: { since: string; until: string }, by: Step): string[] {
  const starts = new Set<string>();
  for (let at = parseDay(since); at <= parseDay(until); at += dayMs) {
    const weekday = (new Date(at).getUTCDay() + 6) % 7;
    const day = formatDay(at);
    starts.add(
      by === 'day' ? day : by === 'week' ? formatDay(at - weekday * dayMs) : `${day.slice(0, 7)}-01`,
    );
  }
  return [...starts];
}

const nothing: DayNumbers = {
  questions: 0,
  answered: 0,
  asked_back: 0,
  declined: 0,
  handed_over: 0,
  resolved: 0,
  thumbs_up: 0,
  thumbs_down: 0,
  credits: 0,
  wait_ms: 0,
  cost: 0,
  unpriced: 0,
};

const add = (sum: DayNumbers, period: DayNumbers): DayNumbers =>
  // Both have the same members.
  Object.fromEntries(
    Object.keys(nothing).map((name) => [
      name,
      sum[name as keyof DayNumbers] + period[name as keyof DayNumbers],
    ]),
  ) as unknown as DayNumbers;

const outcomesOf = ({
  questions,
  answered,
  asked_back,
  declined,
  handed_over,
}: Pick<NamedNumbers, 'questions' | 'answered' | 'asked_back' | 'declined' | 'handed_over'>) => ({
  questions,
  answered,
  asked_back,
  declined,
  handed_over,
});

const present = (row: DayNumbers): AnalyticsNumbers => ({
  ...outcomesOf(row),
  resolved_alone: row.resolved,
  thumbs_up: row.thumbs_up,
  thumbs_down: row.thumbs_down,
  response_ms: row.questions === 0 ? null : Math.round(row.wait_ms / row.questions),
  credits: row.credits,
  cost: row.unpriced > 0 ? null : row.cost,
});
