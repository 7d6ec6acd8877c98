import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepare.ts';

/** How far the network says that it has come with a message: it has taken it, a phone has it, somebody has read it. */
export type DeliveryStatus = 'sent' | 'delivered' | 'read';

const statusUpdate = prepare<{ ids: readonly string[]; states: readonly DeliveryStatus[] }, { id: string }>(
  (value) => sql`
    update messages m set status = word.state, sent_at = coalesce(m.sent_at, now()), claimed_until = null
    from unnest(${value('ids')}::uuid[], ${value('states')}::text[]) as word (id, state)
    where m.id = word.id and m.direction = 'out'
      and (m.status in ('accepted', 'unknown')
           or m.status = 'sent' and word.state in ('delivered', 'read')
           or m.status = 'delivered' and word.state = 'read')
    returning m.id`,
);

/**
 * Writes the network's word on messages. It is true whoever asked for it and needs no fence; a late one never takes an
 * earlier state back. Answers the messages that have come further.
 */
export async function updateDeliveryStatuses(
  db: Database,
  states: ReadonlyMap<string, DeliveryStatus>,
): Promise<Set<string>> {
  // In one order everywhere, so that two statements on the same messages do not wait for one another.
  const ids = [...states.keys()].sort();
  const rows = await statusUpdate(db, { ids, states: ids.map((id) => states.get(id) ?? 'sent') });
  return new Set(rows.map(({ id }) => id));
}
