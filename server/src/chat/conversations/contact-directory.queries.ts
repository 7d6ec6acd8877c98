import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

export interface ChatOwner {
  deviceId: string;
  teamId: string;
}

export async function selectAddresses(
  db: Database | Transaction,
  deviceId: string,
  addresses: readonly string[],
): Promise<{ address: string; contact: string }[]> {
  const { rows } = await sql<{ address: string; contact: string }>`
    select address, contact_number as contact from contact_addresses
    where device_id = ${deviceId} and address = any(${addresses}::text[])
    order by created_at, address`.execute(db);
  return rows;
}

/** Returns the address that was recorded last. `contact` may be another form of the number. */
export async function selectAddress(
  db: Database,
  deviceId: string,
  contact: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ address: string }>`
    select address from contact_addresses
    where device_id = ${deviceId} and address not like '+%' and contact_number = coalesce((
      select contact_number from contact_addresses where device_id = ${deviceId} and address = ${contact}), ${contact})
    order by created_at desc, address desc limit 1`.execute(db);
  return rows[0]?.address;
}

export async function upsertAddresses(
  tx: Transaction,
  { deviceId, teamId }: ChatOwner,
  addresses: readonly string[],
  contact: string,
): Promise<void> {
  await sql`
    insert into contact_addresses as a (device_id, address, team_id, contact_number)
    select ${deviceId}::uuid, address, ${teamId}::uuid, ${contact}
    from unnest(${addresses}::text[]) as address order by address
    on conflict (device_id, address) do update set contact_number = excluded.contact_number
      where a.contact_number <> excluded.contact_number`.execute(tx);
}

/**
 * Moves the conversation and the addresses of `from` to `into`. Merges both conversations if `into` has one. A worker that is
 * answering `from` loses its claim, because its reply would go to the old contact. Call it before the messages are moved: answers
 * lock the conversation first, too.
 * Watched by record_conversation_event.
 */
export async function moveConversation(
  tx: Transaction,
  { deviceId, teamId }: ChatOwner,
  from: string,
  into: string,
): Promise<void> {
  await sql`
    select from conversations where device_id = ${deviceId} and contact_number in (${from}, ${into})
    order by id for update`.execute(tx);
  await sql`
    update contact_addresses set contact_number = ${into}
    where device_id = ${deviceId} and contact_number = ${from}`.execute(tx);
  await sql`
    insert into contact_merges (device_id, merged_contact, team_id, contact_number)
    values (${deviceId}, ${from}, ${teamId}, ${into})
    on conflict (device_id, merged_contact) do update set contact_number = ${into}, merged_at = now()`.execute(
    tx,
  );
  const { numAffectedRows = 0n } = await sql`
    update conversations set contact_number = ${into}, claim_fence = claim_fence + 1, claimed_until = null
    where device_id = ${deviceId} and contact_number = ${from}
      and not exists (select from conversations where device_id = ${deviceId} and contact_number = ${into})`.execute(
    tx,
  );
  if (numAffectedRows > 0n) return;
  await sql`
    update tool_calls t set conversation_id = kept.id
    from conversations merged join conversations kept using (device_id)
    where merged.device_id = ${deviceId} and merged.contact_number = ${from} and kept.contact_number = ${into}
      and t.conversation_id = merged.id`.execute(tx);
  await sql`
    update notes n set conversation_id = kept.id
    from conversations merged join conversations kept using (device_id)
    where merged.device_id = ${deviceId} and merged.contact_number = ${from} and kept.contact_number = ${into}
      and n.conversation_id = merged.id`.execute(tx);
  await sql`
    with merged as (
      delete from conversations where device_id = ${deviceId} and contact_number = ${from}
      returning last_message_at, answer_due_at, state, paused_until, noticed_at, labels, assignee_id, assigned_at
    )
    update conversations c set last_message_at = greatest(c.last_message_at, merged.last_message_at),
      answer_due_at = least(c.answer_due_at, merged.answer_due_at),
      noticed_at = greatest(c.noticed_at, merged.noticed_at),
      labels = array(select distinct label from unnest(c.labels || merged.labels) as label order by label),
      assignee_id = coalesce(c.assignee_id, merged.assignee_id), assigned_at = coalesce(c.assigned_at, merged.assigned_at),
      state = case when merged.state = 'paused' then 'paused' else c.state end,
      paused_until = case when merged.state = 'paused' then merged.paused_until else c.paused_until end
    from merged where c.device_id = ${deviceId} and c.contact_number = ${into}`.execute(tx);
}
