import type { ChaosDatabase } from '../database.ts';
import type { Fixtures } from '../fixtures.ts';
import type { Ledger } from '../ledger.ts';
import { noticePattern } from './phones.ts';

type Queryable = Pick<ChaosDatabase, 'query'>;

/** Acknowledged objects exist once, under the acknowledged id; deleted ones do not. */
export async function checkCreatedObjects({ created }: Ledger, database: Queryable): Promise<string[]> {
  const rows = await database.query<{ kind: string; id: string; name: string }>(`
    select 'team' as kind, id, name from teams
    union all select 'bot', id, name from bots where state = 'live'
    union all select 'document', id, name from documents where state = 'live'
    union all select 'device', id, name from devices`);
  return created.flatMap(({ kind, id, name, deleted }) => {
    const found = rows.filter((row) => row.kind === kind && row.name === name).map((row) => row.id);
    const expected = deleted ? [] : [id];
    return found.join() === expected.join()
      ? []
      : [
          `the ${kind} ${name}, acknowledged as ${id}${deleted ? ' and deleted' : ''}: found ${found.join() || 'none'}`,
        ];
  });
}

/** Accepted sends exist once, refused ones are not charged, and no month exceeds its limit. */
export async function checkSends(
  { sends }: Ledger,
  { teams }: Fixtures,
  database: Queryable,
): Promise<string[]> {
  const stored = await database.query<{ id: string; text: string; status: string; refunded: boolean }>(
    `select id, text, status, refunded from messages where origin = 'api'`,
  );
  // A text that the model wrote begins with the notice.
  const rows = stored.map((row) => ({ ...row, text: row.text.replace(noticePattern, '') }));
  const wrong = sends.flatMap(({ text, messageId, reason }) => {
    const found = rows.filter((row) => row.text === text);
    const [row] = found;
    if (messageId !== null)
      return found.length === 1 && row?.id === messageId
        ? []
        : [`the send "${text}", accepted: ${show(found)}`];
    if (reason === 'recipient_unknown')
      return found.length === 1 && row?.status === 'refused' && row.refunded
        ? []
        : [`the send "${text}" to an unknown number: ${show(found)}`];
    return found.length === 0 ? [] : [`the send "${text}", refused as ${reason}: ${show(found)}`];
  });
  return [...wrong, ...(await checkMonths(sends, teams, rows, database))];
}

async function checkMonths(
  sends: Ledger['sends'],
  teams: Fixtures['teams'],
  rows: readonly { text: string; refunded: boolean }[],
  database: Queryable,
): Promise<string[]> {
  const months = await database.query<{ team_id: string; used: number; limit: number }>(`
    select u.team_id, u.active_messages as used, p.active_messages_monthly * 105 / 100 as limit
    from monthly_usage u join teams t on t.id = u.team_id join plans p on p.name = t.plan_name`);
  return teams.flatMap(({ id }) => {
    const month = months.find(({ team_id }) => team_id === id) ?? { used: 0, limit: 0 };
    const texts = new Set(sends.filter(({ teamId }) => teamId === id).map(({ text }) => text));
    const mine = rows.filter(({ text }) => texts.has(text));
    const charged = mine.filter(({ refunded }) => !refunded).length;
    return [
      ...(month.used === charged ? [] : [`team ${id} is charged ${month.used} for ${charged} messages`]),
      ...(month.used <= month.limit ? [] : [`team ${id} used ${month.used} of ${month.limit}`]),
    ];
  });
}

const show = (rows: readonly object[]): string => JSON.stringify(rows);
