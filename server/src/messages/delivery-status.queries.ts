import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepare.ts';

export type DeliveryStatus = 'sent' | 'delivered' | 'read';

const statusUpdate = prepare<{ ids: readonly string[]; states: readonly DeliveryStatus[] }, { id: string }>(
  (value) => sql`
    update messages m set status = report.state, sent_at = coalesce(m.sent_at, now()), claimed_until = null
    from unnest(${value('ids')}::uuid[], ${value('states')}::text[]) as report (id, state)
    where m.id = report.id and m.direction = 'out'
      and (m.status in ('accepted', 'unknown')
           or m.status = 'sent' and report.state in ('delivered', 'read')
           or m.status = 'delivered' and report.state = 'read')
    returning m.id`,
);

/** Returns the messages whose status advanced. Needs no fence: reports are true for every owner and never reset a status. */
export async function updateDeliveryStatuses(
  db: Database,
  states: ReadonlyMap<string, DeliveryStatus>,
): Promise<Set<string>> {
  // Sorting prevents deadlocks between statements on the same messages.
  const ids = [...states.keys()].sort();
  const rows = await statusUpdate(db, { ids, states: ids.map((id) => states.get(id) ?? 'sent') });
  return new Set(rows.map(({ id }) => id));
}
