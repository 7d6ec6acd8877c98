import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Context } from '../../src/process/context.ts';
import { eventually } from '../eventually.ts';
import type { TestNetwork } from '../simulated-network.ts';
import type { PartnerFixture } from './partner-fixture.ts';
import type { Writers } from './writers.ts';

type Acknowledged = Writers['acknowledged'];

/** Asserts that every acknowledged write exists and that every message reached its contact once. */
export async function assertAcknowledgedWritesExist(
  { db, network }: { db: Context['db']; network: TestNetwork },
  { phone }: PartnerFixture,
  acknowledged: Acknowledged,
): Promise<void> {
  for (const [kind, table, live] of tablesByKind) {
    const ids = acknowledged[kind];
    assert.equal(new Set(ids).size, ids.length, `every ${kind} id is unique`);
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(table)} where id = any(${ids}::uuid[]) and ${sql.raw(live)}`.execute(db);
    const found = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      ids.filter((id) => !found.has(id)),
      [],
      `every acknowledged ${kind} exists`,
    );
  }
  await eventually(async () => {
    const { rows } = await sql`
      select id from messages where direction = 'out' and status = 'accepted'`.execute(db);
    assert.deepEqual(rows, [], 'no message keeps the status accepted');
  }, 30_000);
  await assertReceivedOnce({ db, network }, phone, acknowledged.message);
}

const tablesByKind: readonly [keyof Acknowledged, string, string][] = [
  ['team', 'teams', 'true'],
  ['bot', 'bots', `state = 'live'`],
  ['document', 'documents', `state = 'live'`],
  ['message', 'messages', `not refunded`],
];

async function assertReceivedOnce(
  { db, network }: { db: Context['db']; network: TestNetwork },
  phone: string,
  messageIds: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ id: string; contact: string; text: string }>`
    select id, contact_number as contact, text from messages where id = any(${messageIds}::uuid[])`.execute(
    db,
  );
  for (const { contact, text } of rows) {
    const received = await network.received(contact, phone);
    assert.deepEqual(
      received.map((message) => message.text),
      [text],
    );
  }
}
