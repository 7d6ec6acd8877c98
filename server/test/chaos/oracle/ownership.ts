import type { ChaosDatabase } from '../database.ts';
import type { NetworkJournal } from './network-journal.ts';

/** What was on its way when the device changed hands may still arrive. */
const onTheWayMs = 300;

/** No device was served by two, and nobody wrote about one, claimed or handed off for one, that was another's. */
export async function checkOwnership(
  { handedOff, upAt, afterReplacement }: NetworkJournal,
  database: Pick<ChaosDatabase, 'ask'>,
): Promise<string[]> {
  const violations = await database.ask<{ process: string; what: string; id: string }>(
    'select process, what, id from audit.violations',
  );
  const takeovers = await database.ask<{ phone: string; at: Date }>(`
    select d.phone_number as phone, o.at from (
      select device_id, pg_xact_commit_timestamp(xmin) as at, pool_id,
             lag(pool_id) over (partition by device_id order by epoch) as before
      from audit.ownerships) o join devices d on d.id = o.device_id
    where o.before is not null and o.before <> o.pool_id and o.at is not null`);
  const takenOver = Map.groupBy(takeovers, ({ phone }) => phone);
  const stale = handedOff.filter(({ from, session, at }) =>
    takenOver.get(from)?.some((takeover) => {
      const takenAt = takeover.at.getTime();
      return (upAt.get(session) ?? at) < takenAt && at > takenAt + onTheWayMs;
    }),
  );
  return [
    ...violations.map(({ process, what, id }) => `${process} wrote the ${what} of another's ${id}`),
    ...stale.map(({ text }) => `"${text}" was handed off by a pool after its device was taken over`),
    ...afterReplacement.map(({ text }) => `"${text}" was handed off over a connection that was replaced`),
  ];
}
