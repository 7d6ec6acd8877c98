import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';

export type DeliveryStatus = 'sent' | 'delivered' | 'read';

const advances = sql`
  m.direction = 'out'
  and (m.status in ('accepted', 'unknown')
       or m.status = 'sent' and report.state in ('delivered', 'read')
       or m.status = 'delivered' and report.state = 'read')`;

/** Watched by record_message_statuses. */
const statusUpdate = prepare<
  { ids: readonly string[]; states: readonly DeliveryStatus[] },
  { id: string; advanced: boolean }
>(
  (value) => sql`
    with report as materialized (
      select * from unnest((select ${value('ids')}::uuid[]), (select ${value('states')}::text[])) as report (id, state)
    ), due as materialized (
      select m.id from report join messages m using (id) where ${advances}
    ), free as materialized (
      select m.id, report.state from report join messages m using (id) where ${advances}
      for no key update of m skip locked
    ), updated as (
      update messages m set status = free.state, sent_at = coalesce(m.sent_at, now()), claimed_until = null
      from free where m.id = free.id returning m.id
    )
    select due.id, updated.id is not null as advanced from due left join updated on updated.id = due.id`,
);

/**
 * Returns for each message that must advance whether it did: false if its row is locked. Needs no fence, because reports are
 * true for every owner and never reset a status.
 */
export async function updateDeliveryStatuses(
  db: Database,
  states: ReadonlyMap<string, DeliveryStatus>,
): Promise<Map<string, boolean>> {
  const rows = await statusUpdate(db, { ids: [...states.keys()], states: [...states.values()] });
  return new Map(rows.map(({ id, advanced }) => [id, advanced]));
}
