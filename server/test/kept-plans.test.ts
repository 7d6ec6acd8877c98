import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { selectConversationContexts } from '../src/chat/answering/conversation-context.queries.ts';
import { claimDue } from '../src/chat/conversations/claims.sql.ts';
import { recordInbound } from '../src/chat/conversations/inbound.ts';
import { updateDeliveryStatuses } from '../src/chat/messages/delivery-status.queries.ts';
import { claimDue as claimMessages } from '../src/chat/messages/outbox.queries.ts';
import { enqueueReplies } from '../src/chat/messages/outbox.ts';
import type { Database } from '../src/platform/database/database.ts';
import { newId } from '../src/platform/shared/ids.ts';
import { startTestContext } from './harness.ts';
import { keyedHash } from './keyed-hash.ts';
import { createOwnedDevice } from './owned-device.ts';

const { db } = await startTestContext();
const owner = await createOwnedDevice(db);

before(async () => {
  for (let devices = 1; devices < 20; devices += 1) await createOwnedDevice(db);
  await sql`update teams set settings = '{"reply_delay_seconds": 0}'`.execute(db);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
    select gen_random_uuid(), team_id, id, '+1666' || n, 'out', 'api', 'text', 'Hello', gen_random_uuid()::text, 'sent'
    from devices, generate_series(1, 500) n`.execute(db);
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    select gen_random_uuid(), team_id, id, '+1666' || n from devices, generate_series(1, 500) n`.execute(db);
  await sql`analyze`.execute(db);
});

/** PostgreSQL plans a statement this often with its values before it may keep one plan for all values. */
const plannedAtFirst = 5;
const uses = 20;

/** Returns the statements, used 20 times on one connection, that PostgreSQL plans again on each use. */
async function findReplanned(use: (connection: Database, n: number) => Promise<unknown>): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    for (let n = 0; n < uses; n += 1) await use(connection, n);
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements
      where generic_plans + custom_plans >= ${uses} and custom_plans > ${plannedAtFirst}`.execute(connection);
    return rows.map(({ statement }) => statement);
  });
}

test('keeps the plans of the statements that every answer needs', async () => {
  const replanned = await findReplanned(async (connection, n) => {
    const message = { fromMe: false, sentAt: new Date(), content: { kind: 'text', text: 'Hello' } } as const;
    const contact = { networkId: newId(), contactNumber: `+1555${1000 + n}` };
    await db.transaction().execute((tx) => recordInbound(tx, owner, { ...message, ...contact }, keyedHash));
    const request = { limit: 64 - n, limitPerTeam: 16, leaseSeconds: 15 };
    const turn = {
      afterTeamId: n % 2 === 0 ? null : owner.teamId,
      running: new Map([[owner.teamId, n % 3]]),
    };
    const { claims } = await claimDue(connection, { ...request, ...turn });
    assert.equal(claims.length, 1);
    await selectConversationContexts(connection, claims, { month: '2026-11-01', images: false });
  });
  assert.deepEqual(replanned, []);
});

test('keeps the plans of the statements that every message of the outbox needs', async () => {
  const replanned = await findReplanned(async (connection, n) => {
    const chat = {
      ...owner,
      contactNumber: `+1555${1000 + n}`,
      origin: 'bot',
      answerId: null,
      requestId: null,
    } as const;
    await db.transaction().execute((tx) => enqueueReplies(tx, { ...chat, parts: [{ text: 'Hello' }] }));
    const due = await claimMessages(connection, owner.poolId, [
      { deviceId: owner.deviceId, room: 64, mediaRoom: 4 },
    ]);
    assert.equal(due.length, 1);
    await updateDeliveryStatuses(connection, new Map(due.map(({ id }) => [id, 'sent'])));
  });
  assert.deepEqual(replanned, []);
});
