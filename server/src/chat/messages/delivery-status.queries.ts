import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { lockTimeout100ms } from '../../platform/database/lock-timeout.ts';
import { prepare } from '../../platform/database/prepare.ts';
import { addMessagePrices } from '../../tenancy/usage/message-prices.sql.ts';
import type { Pricing } from '../../tenancy/usage/message-prices.ts';
import { refundActiveMessages } from '../../tenancy/usage/usage.sql.ts';

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

/** Before the status: a receipt with this id may follow at once. */
export async function storeExternalId(db: Database, id: string, externalId: string): Promise<void> {
  await sql`update messages set external_id = ${externalId} from ${lockTimeout100ms} where id = ${id}`.execute(
    db,
  );
}

/** Returns the id of the message that the network knows under another id, or null. */
export async function selectByExternalId(
  db: Database,
  deviceId: string,
  externalId: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where device_id = ${deviceId} and external_id = ${externalId}`.execute(db);
  return rows[0]?.id ?? null;
}

export interface ReportedMessage {
  id: string;
  external_id: string | null;
}

/** Returns the message of the device that a network reports about, by our id, or by its own. */
export async function selectReported(
  db: Database,
  deviceId: string,
  { id, externalId }: { id: string | null; externalId: string },
): Promise<ReportedMessage | undefined> {
  const { rows } = await sql<ReportedMessage>`
    select id, external_id from messages
    where device_id = ${deviceId} and direction = 'out' and (id = ${id}::uuid or external_id = ${externalId}) limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Returns the contact of a message whose price is not known yet. */
export async function selectUnpriced(
  db: Database,
  id: string,
): Promise<{ contact_number: string } | undefined> {
  const { rows } = await sql<{ contact_number: string }>`
    select contact_number from messages where id = ${id} and pricing is null`.execute(db);
  return rows[0];
}

/** Stores the first report and counts it in the month (its first day), both or neither. */
export async function storePricing(
  db: Database,
  { id, pricing, month }: { id: string; pricing: Pricing; month: string },
): Promise<void> {
  await sql`
    with priced as (
      update messages set pricing = ${JSON.stringify(pricing)}::jsonb from ${lockTimeout100ms}
      where id = ${id} and pricing is null returning team_id, pricing
    ) ${addMessagePrices(month)}`.execute(db);
}

/** Why a message was not delivered, with the network's number of the error. */
export interface Failure {
  reason: string;
  code: number | null;
}

/**
 * Refuses and refunds a message that the network refused after the attempt. After several attempts, an earlier one may have
 * succeeded. A message that is held while the device is restricted is tried again.
 * Watched by record_message_statuses.
 */
export async function markRefusedLater(db: Database, id: string, { reason, code }: Failure): Promise<void> {
  await sql`
    with settled as (
      update messages set status = 'refused', failure = ${reason}, failure_code = ${code}::int, claimed_until = null,
                          refunded = charged_month is not null
      from ${lockTimeout100ms}
      where id = ${id} and direction = 'out' and attempts <= 1 and not refunded
        and (status in ('unknown', 'sent') or status = 'accepted' and not held_when_restricted)
      returning team_id, charged_month
    ), refunded as (${refundActiveMessages} returning u.team_id)
    select from refunded`.execute(db);
}
