import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { insertCharged } from '../../src/chat/messages/accept.queries.ts';
import { markRefusedLater } from '../../src/chat/messages/delivery-status.queries.ts';
import { markRefused, markUnknown } from '../../src/chat/messages/outbox.queries.ts';
import { createOutbox } from '../../src/chat/messages/outbox.ts';
import { toMonth } from '../../src/platform/shared/clock.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { addTeamWithBot } from '../devices.ts';
import { repetitions } from '../faults/repetitions.ts';
import { startTestContext } from '../harness.ts';
import { arbitraryGroups, checkModel, replay } from './check-model.ts';
import {
  instants,
  type Quota,
  type QuotaAnswer,
  type QuotaOperation,
  quotaSpecification,
} from './quota-specification.ts';
import type { System } from './specification.ts';

const context = await startTestContext();
const { db } = context;
const outbox = createOutbox(context);
const poolId = newId();
await sql`
  insert into pools (id, url, capacity, lease_until) values (${poolId}, 'http://pool', 1, now() + interval '1 day')`.execute(
  db,
);

/** Creates a plan, a team and a connected device. */
async function startQuota({ monthly }: Quota): Promise<System<QuotaOperation, QuotaAnswer>> {
  const plan = newId();
  await sql`
    insert into plans values (${plan}, true, ${monthly}, true, 9, 9, 9, 9, 9, 9)`.execute(db);
  const { teamId, botId } = await addTeamWithBot(db, { plan });
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', true, ${poolId}, 'http://pool')`.execute(db);

  const send = async (at: string): Promise<QuotaAnswer> => {
    const id = newId();
    const row = await insertCharged(db, {
      id,
      scope: { kind: 'all' },
      month: toMonth(new Date(at)),
      networkId: id,
      deviceId,
      contactNumber: '+15550199',
      contactHash: '',
      kind: 'text',
      text: 'hello',
      generation: null,
      whenRestricted: 'refuse',
      audit: null,
      template: null,
      choices: null,
    });
    assert.ok(row);
    return row.used_after === null ? null : { id, used: row.used_after };
  };

  return {
    async perform(operation) {
      switch (operation.kind) {
        case 'send':
          return send(operation.at);
        case 'plan':
          await sql`
            update plans set active_messages_monthly = ${operation.monthly}, allow_active_messaging = ${operation.allowed}
            where name = ${plan}`.execute(db);
          return null;
        case 'ban':
          await sql`update teams set banned = ${operation.banned} where id = ${teamId}`.execute(db);
          return null;
      }
      const message = { id: String(operation.message), attempts: 0 };
      const deliveryAttempt = {
        messageId: message.id,
        attempts: 0,
        deviceId,
        teamId,
        requestId: null,
        hasMore: false,
        sendsOnce: false,
        parts: [],
      };
      if (operation.kind === 'acknowledge') await outbox.recordSent(deliveryAttempt);
      if (operation.kind === 'refuse')
        await markRefused(db, message, { reason: 'recipient_unknown', code: null });
      if (operation.kind === 'refuse late')
        await markRefusedLater(db, message.id, { reason: 'network_refused', code: null });
      if (operation.kind === 'give up')
        await markUnknown(db, message, { reason: 'retries_ended', code: null });
      return null;
    },

    async visibleState() {
      const { rows: messages } = await sql`
        select id, charged_month as month, status, refunded from messages where team_id = ${teamId} order by seq`.execute(
        db,
      );
      const { rows: months } = await sql<{ month: string; used: number }>`
        select month, active_messages as used from monthly_usage where team_id = ${teamId} order by month`.execute(
        db,
      );
      const { rows: plans } = await sql`
        select active_messages_monthly as monthly, allow_active_messaging as allowed, banned
        from teams join plans on plans.name = plan_name where id = ${teamId}`.execute(db);
      return {
        ...(plans[0] as object),
        used: Object.fromEntries(months.map(({ month, used }) => [month, used])),
        messages: messages.map((row) => ({ ...(row as object) })),
      };
    },
  };
}

const message = fc.nat(30);
const mostly = (value: boolean) => fc.constantFrom(value, value, value, !value);
/** Small quotas, so that the runs reach the limit. From 20 on, the limit exceeds the quota. */
const monthly = fc.constantFrom(0, 1, 2, 3, 5, 19, 20);
const send = fc.record({ kind: fc.constant('send' as const), at: fc.constantFrom(...Object.keys(instants)) });
const operation = fc.oneof(
  { weight: 6, arbitrary: send },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'acknowledge' as const,
        'refuse' as const,
        'refuse late' as const,
        'give up' as const,
      ),
      message,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      monthly,
      allowed: mostly(true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ban' as const), banned: mostly(false) }) },
);

test('charges each month for exactly the messages that were accepted and not refused', async () => {
  await checkModel(arbitraryGroups(operation, operation), repetitions(60, 2000), async (groups) => {
    const initial: Quota = { monthly: 3, allowed: true, banned: false, messages: [] };
    await replay(quotaSpecification, initial, await startQuota(initial), groups);
  });
});
