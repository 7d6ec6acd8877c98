import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { insertCharged } from '../../src/chat/messages/accept.queries.ts';
import { type DeliveryAttempt, toNetworkId } from '../../src/chat/messages/delivery-attempt.ts';
import { createOutbox, endMessagesOfDeletedDevice, enqueueReplies } from '../../src/chat/messages/outbox.ts';
import { startDevice, stopDevice } from '../../src/devices/connection.queries.ts';
import { deleteDevice } from '../../src/devices/devices.ts';
import { ApiError } from '../../src/platform/http/errors.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { addTeamWithBot } from '../devices.ts';
import { repetitions } from '../faults/repetitions.ts';
import { openTestContext } from '../harness.ts';
import { createTestDatabase } from '../test-database.ts';
import { arbitraryGroups, checkModel, type Group, replay } from './check-model.ts';
import {
  type ClaimedMessage,
  type Lifecycle,
  type LifecycleAnswer,
  type LifecycleOperation,
  lifecycleSpecification,
  type Outbound,
} from './lifecycle-specification.ts';
import { clockStart, setClock } from './set-clock.ts';
import type { System } from './specification.ts';

const database = await createTestDatabase();
const clock = await setClock(database.url);
const context = await openTestContext(database.url);
after(async () => {
  await context.close();
  await clock.close();
  await database.drop();
});
const { db } = context;
const outbox = createOutbox(context);
const pools = { left: newId(), right: newId() };
for (const id of Object.values(pools)) {
  await sql`
    insert into pools (id, url, capacity, lease_until) values (${id}, 'http://pool', 9, now() + interval '9 years')`.execute(
    db,
  );
}
const actor = { keyId: 'pk_1', scope: { kind: 'all' as const }, role: null };
const month = '2026-11-01';

/** Creates a connected device of a new team. */
async function startLifecycle(): Promise<System<LifecycleOperation, LifecycleAnswer>> {
  const { teamId, botId } = await addTeamWithBot(db);
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', true, ${pools.left}, 'http://pool')`.execute(
    db,
  );
  const getPoolId = (name: string) => (name === 'left' ? pools.left : pools.right);

  const send = async (contactNumber: string): Promise<string[]> => {
    const id = newId();
    const row = await insertCharged(db, {
      id,
      scope: actor.scope,
      month,
      networkId: toNetworkId(id),
      deviceId,
      contactNumber,
      contactHash: '',
      kind: 'text',
      text: 'hello',
      generation: null,
      whenRestricted: 'refuse',
      audit: null,
      template: null,
      choices: null,
    });
    return row === undefined || row.used_after === null ? [] : [id];
  };

  const reply = (contactNumber: string, parts: number): Promise<string[]> =>
    db.transaction().execute((tx) =>
      enqueueReplies(tx, {
        teamId,
        deviceId,
        contactNumber,
        origin: 'bot',
        answerId: null,
        requestId: null,
        parts: Array.from({ length: parts }, (_, i) => ({ text: `part ${i}` })),
      }),
    );

  const claim = async (pool: string): Promise<ClaimedMessage[]> => {
    const deliveryAttempts = await outbox.claim(getPoolId(pool), [{ deviceId, room: 10, mediaRoom: 10 }]);
    for (const { messageId, parts } of deliveryAttempts)
      assert.equal(parts[0]?.networkId, toNetworkId(messageId));
    return deliveryAttempts.map(({ messageId, attempts }) => ({ id: messageId, attempts }));
  };

  const deleteIfStopped = async (): Promise<boolean> => {
    try {
      await db.transaction().execute((tx) => deleteDevice(tx, actor, deviceId, endMessagesOfDeletedDevice));
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };

  const changeDevice = async (operation: LifecycleOperation): Promise<void> => {
    await db.transaction().execute(async (tx) => {
      if (operation.kind === 'stop') await stopDevice(tx, deviceId);
      if (operation.kind === 'start') {
        await startDevice(tx, deviceId, null);
        await sql`update devices set connected = true where id = ${deviceId}`.execute(tx);
      }
      if (operation.kind === 'take over') {
        await sql`
          update devices set pool_id = ${getPoolId(operation.pool)}, epoch = epoch + 1 where id = ${deviceId}`.execute(
          tx,
        );
      }
    });
  };

  return {
    async perform(operation) {
      switch (operation.kind) {
        case 'send':
          return send(operation.chat);
        case 'reply':
          return reply(operation.chat, operation.parts);
        case 'claim':
          return claim(operation.pool);
        case 'sweep':
          await outbox.sweep(getPoolId(operation.pool));
          return null;
        case 'delete':
          return deleteIfStopped();
        case 'wait':
          await clock.advance(operation.seconds);
          return null;
        case 'receipt':
          await outbox.recordReceipt(
            { deviceId, teamId },
            {
              networkId: toNetworkId(String(operation.message)),
              state: operation.state,
            },
          );
          return null;
        case 'acknowledge':
          await outbox.recordSent(toAttempt(operation.deliveryAttempt));
          return null;
        case 'refuse':
          await outbox.recordRefused(toAttempt(operation.deliveryAttempt), operation.failure);
          return null;
        case 'lose outcome':
          return outbox.scheduleRetry(toAttempt(operation.deliveryAttempt));
        default:
          await changeDevice(operation);
          return null;
      }
    },

    async visibleState() {
      const seconds = (column: string) =>
        sql`extract(epoch from ${sql.ref(column)} - ${clockStart}::timestamptz)::float8`;
      const { rows: messages } = await sql`
        select id, status, attempts, refunded, ${seconds('next_attempt_at')} as "dueAt",
               ${seconds('handed_off_at')} as "deliveredAt", case when claimed_until is not null
               then jsonb_build_object('epoch', claim_epoch, 'until', ${seconds('claimed_until')}) end as claim
        from messages where device_id = ${deviceId} order by seq`.execute(db);
      const { rows: devices } = await sql`
        select case pool_id when ${pools.left} then 'left' else 'right' end as owner, epoch, status = 'started' as started
        from devices where id = ${deviceId}`.execute(db);
      const { rows: charges } = await sql<{ charges: number }>`
        select coalesce(sum(active_messages), 0)::int as charges from monthly_usage where team_id = ${teamId}`.execute(
        db,
      );
      return {
        device: toPlainObjects(devices)[0] ?? null,
        charges: charges[0]?.charges,
        messages: toPlainObjects(messages),
      };
    },
  };
}

const toPlainObjects = (rows: readonly unknown[]): object[] => rows.map((row) => ({ ...(row as object) }));

/** Returns an attempt with the fields that settling reads. */
const toAttempt = (deliveryAttempt: number | ClaimedMessage): DeliveryAttempt => {
  const { id, attempts } = deliveryAttempt as ClaimedMessage;
  return {
    messageId: id,
    attempts,
    deviceId: '',
    teamId: '',
    requestId: null,
    hasMore: false,
    sendsOnce: false,
    parts: [],
  };
};

/** States that decision 35 forbids. `earlier` holds the earlier messages of the chat. */
const forbidden: Record<string, (message: Outbound, earlier: readonly Outbound[]) => boolean> = {
  'refunded but not refused': ({ refunded, status }) => refunded && status !== 'refused',
  'refused but not refunded': ({ refunded, charged, status }) => status === 'refused' && charged && !refunded,
  'attempted more than four times': ({ attempts }) => attempts > 4,
  'attempted before an earlier one was settled': ({ attempts }, earlier) =>
    attempts > 0 && earlier.some(({ status }) => status === 'accepted'),
  'claimed although settled': ({ claim, status }) => claim !== null && status !== 'accepted',
};

function assertNothingForbidden({ messages }: Lifecycle): void {
  for (const [index, message] of messages.entries()) {
    const earlier = messages.slice(0, index).filter(({ chat }) => chat === message.chat);
    for (const [state, isForbidden] of Object.entries(forbidden)) {
      assert.ok(!isForbidden(message, earlier), `a message is ${state}`);
    }
  }
}

const chat = fc.constantFrom('+15550101', '+15550102');
const pool = fc.constantFrom('left', 'left', 'right');
const deliveryAttempt = fc.nat(50);
const kind = <Kind extends LifecycleOperation['kind']>(value: Kind) => fc.constant(value);
const concurrent: fc.Arbitrary<LifecycleOperation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind('send'), chat }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('reply'), chat, parts: fc.constant(1) }) },
  { weight: 9, arbitrary: fc.record({ kind: kind('claim'), pool }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('acknowledge' as const, 'lose outcome' as const),
      deliveryAttempt,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('refuse'),
      deliveryAttempt,
      failure: fc.constantFrom('recipient_unknown' as const, 'network_refused' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('receipt'),
      message: fc.nat(50),
      state: fc.constantFrom('delivered' as const, 'read' as const, 'failed' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('take over' as const, 'sweep' as const), pool }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('start' as const, 'stop' as const, 'delete' as const) }),
  },
);
/** Replies of several parts do not run concurrently, because the answers in a conversation are sequential. */
const single: fc.Arbitrary<LifecycleOperation> = fc.oneof(
  { weight: 6, arbitrary: concurrent },
  { weight: 1, arbitrary: fc.record({ kind: kind('reply'), chat, parts: fc.constant(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('wait'), seconds: fc.constantFrom(1, 15, 30, 60, 540) }) },
);

/**
 * Whether a sequential order explains the group. A claim that runs beside two messages of one chat may see only the
 * second one, because sequence numbers are assigned before the commit.
 */
function isLinearizable(group: Group<LifecycleOperation>): boolean {
  const chats = group.flatMap((operation) => ('chat' in operation ? [operation.chat] : []));
  return new Set(chats).size === chats.length || group.every((operation) => operation.kind !== 'claim');
}

const initialState = (): Lifecycle => ({
  now: clock.now(),
  owner: 'left',
  epoch: 1,
  started: true,
  deleted: false,
  messages: [],
  deliveryAttempts: [],
});

test('a message has at most four delivery attempts if all its pools die, then status unknown', async () => {
  const deaths = Array.from({ length: 5 }, () => [
    [{ kind: 'claim' as const, pool: 'left' }],
    [{ kind: 'take over' as const, pool: 'left' }],
  ]);
  const end = await replay(lifecycleSpecification, initialState(), await startLifecycle(), [
    [{ kind: 'send', chat: '+15550101' }],
    ...deaths.flat(),
    [{ kind: 'wait', seconds: 30 }],
    [{ kind: 'sweep', pool: 'left' }],
  ]);
  assert.deepEqual(
    end.messages.map(({ attempts, status, refunded }) => ({ attempts, status, refunded })),
    [{ attempts: 4, status: 'unknown', refunded: false }],
  );
});

test("a refusal reported by a former owner does not affect the new owner's delivery attempt", async () => {
  const end = await replay(lifecycleSpecification, initialState(), await startLifecycle(), [
    [{ kind: 'send', chat: '+15550101' }],
    [{ kind: 'claim', pool: 'left' }],
    [{ kind: 'take over', pool: 'right' }],
    [{ kind: 'claim', pool: 'right' }],
    [{ kind: 'refuse', deliveryAttempt: 0, failure: 'network_refused' }],
    [{ kind: 'acknowledge', deliveryAttempt: 1 }],
  ]);
  assert.deepEqual(
    end.messages.map(({ status, refunded }) => ({ status, refunded })),
    [{ status: 'sent', refunded: false }],
  );
});

test('no message reaches a status that the delivery contract forbids', async () => {
  await checkModel(
    arbitraryGroups(single, concurrent, isLinearizable),
    repetitions(80, 3000),
    async (groups) => {
      await replay(
        lifecycleSpecification,
        initialState(),
        await startLifecycle(),
        groups,
        assertNothingForbidden,
      );
    },
  );
});
