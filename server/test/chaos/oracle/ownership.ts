import type { ChaosDatabase } from '../database.ts';
import type { NetworkJournal } from './network-journal.ts';

/** Messages in flight at a takeover may still arrive. */
const onTheWayMs = 300;

/** Only a device's owner may write about it, claim its messages or deliver them. */
export async function checkOwnership(
  { deliveries, upAt, afterReplacement }: NetworkJournal,
  database: Pick<ChaosDatabase, 'query'>,
): Promise<string[]> {
  const violations = await database.query<{ process: string; what: string; id: string }>(
    'select process, what, id from audit.violations',
  );
  const takeovers = await database.query<{ phone: string; at: Date }>(`
    select d.phone_number as phone, o.at from (
      select device_id, pg_xact_commit_timestamp(xmin) as at, pool_id,
             lag(pool_id) over (partition by device_id order by epoch) as before
      from audit.ownerships) o join devices d on d.id = o.device_id
    where o.before is not null and o.before <> o.pool_id and o.at is not null`);
  const takenOver = Map.groupBy(takeovers, ({ phone }) => phone);
  const stale = deliveries.filter(({ from, session, at }) =>
    takenOver.get(from)?.some((takeover) => {
      const takenAt = takeover.at.getTime();
      return (upAt.get(session) ?? at) < takenAt && at > takenAt + onTheWayMs;
    }),
  );
  return [
    ...violations.map(
      ({ process, what, id }) => `${process} wrote the ${what} of ${id} without owning the device`,
    ),
    ...stale.map(({ text }) => `"${text}" was delivered by a pool after another pool took its device over`),
    ...afterReplacement.map(({ text }) => `"${text}" was delivered over a replaced connection`),
  ];
}
