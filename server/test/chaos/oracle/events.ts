import type { ChaosDatabase } from '../database.ts';

/** Every change of a message, as a row and the type of its event. */
const changes = `
  select m.id::text as id, 'message.received' as type from messages m where m.direction = 'in'
  union all
  select m.id::text, case when m.status in ('refused', 'unknown') then 'message.failed' else 'message.' || m.status end
  from messages m where m.direction = 'out' and m.status <> 'accepted'`;

/** Every change has its event, and the webhook of all teams confirmed exactly the committed events, each at least once. */
export async function checkEvents(
  confirmed: ReadonlyMap<string, string | null>,
  database: ChaosDatabase,
): Promise<string[]> {
  const committed = await database.query<{ id: string; type: string }>('select id, type from events');
  const ids = new Set(committed.map(({ id }) => id));
  const teams = new Set((await database.query<{ id: string }>('select id from teams')).map(({ id }) => id));
  const missing = await database.query<{ id: string; type: string }>(`
    select changed.* from (${changes}) changed where not exists (
      select from events e where e.type = changed.type and e.data ->> 'message_id' = changed.id) limit 20`);
  return [
    ...missing.map(({ id, type }) => `there is no event ${type} of ${id}`),
    ...committed
      .filter(({ id }) => !confirmed.has(id))
      .map(({ id, type }) => `the webhook did not get the event ${id} (${type})`),
    // The events of a deleted team are purged.
    ...[...confirmed]
      .filter(([id, teamId]) => !ids.has(id) && (teamId === null || teams.has(teamId)))
      .map(([id]) => `the webhook got an invented event ${id}`),
  ];
}
