import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../../test/devices.ts';
import { startTestContext } from '../../../test/harness.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Receipt } from '../../ports/messaging-network/messaging-network.ts';
import { parseMessagePrices, priceMessage } from '../../tenancy/usage/message-prices.ts';
import { storePricing } from './delivery-status.queries.ts';
import { createOutbox } from './outbox.ts';

const context = await startTestContext();
const { db } = context;

const clock = { now: () => new Date(0) };
const messagePrices = parseMessagePrices(
  'EUR: utility=0.1, utility/49=0.2, utility/49@2026-10-01=0.7, marketing/49@2026-10-15=0.000001',
);
const outbox = createOutbox({ ...context, clock, messagePrices });

async function addDevice(): Promise<{ teamId: string; deviceId: string }> {
  const { teamId, botId } = await addTeamWithBot(db);
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, network, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'whatsapp_cloud', ${newId()}, 'http://pool')`.execute(
    db,
  );
  return { teamId, deviceId };
}

async function addMessage(device: { teamId: string; deviceId: string }, contact: string): Promise<string> {
  const id = newId();
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, attempts)
    values (${id}, ${device.teamId}, ${device.deviceId}, ${contact}, 'out', 'api', 'text', 'Hello', ${id}, 'sent', 1)`.execute(
    db,
  );
  return id;
}

interface Counted {
  month: string;
  category: string;
  currency: string;
  billable: number;
  not_billable: number;
  without_price: number;
  amount: string | null;
}

async function selectCounted(teamId: string): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select month::text, category, currency, billable, not_billable, without_price, trim_scale(amount)::text as amount
    from monthly_message_prices where team_id = ${teamId} order by month, category, currency`.execute(db);
  return rows;
}

async function selectPricing(id: string): Promise<object | null> {
  const { rows } = await sql<{
    pricing: object | null;
  }>`select pricing from messages where id = ${id}`.execute(db);
  return rows[0]?.pricing ?? null;
}

const report = (id: string, state: Receipt['state'], pricing?: Receipt['pricing']): Receipt => ({
  networkId: id,
  externalId: `wamid.${id}`,
  state,
  ...(pricing && { pricing }),
});

const times = [
  '2026-09-30T23:59:59.999Z',
  '2026-10-01T00:00:00.000Z',
  '2026-10-15T08:00:00.000Z',
  '2026-10-31T23:59:59.999Z',
  '2026-11-01T00:00:00.000Z',
] as const;
const message = fc.record({
  contact: fc.constantFrom('+4917012345', '+15550199', 'bsuid:DE.49123'),
  category: fc.constantFrom('utility', 'marketing', 'service'),
  billable: fc.boolean(),
});
const status = fc.record({
  of: fc.nat({ max: 4 }),
  state: fc.constantFrom<Receipt['state'][]>('sent', 'delivered', 'read', 'failed'),
  copies: fc.integer({ min: 1, max: 3 }),
  /** The clock only moves on. */
  later: fc.nat({ max: 1 }),
});

test('prices and counts each delivered message once, at the time of its first report, in whatever order statuses arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 5 }),
      fc.array(status, { minLength: 1, maxLength: 20 }),
      async (messages, statuses) => {
        const device = await addDevice();
        const sent = await Promise.all(
          messages.map(async (one) => ({ ...one, id: await addMessage(device, one.contact) })),
        );
        const expected = new Map<string, { month: string; pricing: ReturnType<typeof priceMessage> }>();
        let moment = 0;
        for (const { of, state, copies, later } of statuses) {
          const one = sent[of % sent.length];
          assert.ok(one);
          moment = Math.min(moment + later, times.length - 1);
          const now = new Date(times[moment] ?? '');
          clock.now = () => now;
          const receipt = report(one.id, state, state === 'failed' ? undefined : one);
          await Promise.all(Array.from({ length: copies }, () => outbox.recordReceipt(device, receipt)));
          if ((state === 'delivered' || state === 'read') && !expected.has(one.id)) {
            const pricing = priceMessage(messagePrices, one, one.contact, now);
            expected.set(one.id, { month: now.toISOString().slice(0, 7), pricing });
          }
        }
        for (const { id } of sent)
          assert.deepEqual(await selectPricing(id), expected.get(id)?.pricing ?? null);
        assert.deepEqual(await selectCounted(device.teamId), countAll([...expected.values()]));
      },
    ),
    { numRuns: 40 },
  );
});

/** Adds up in millionths. */
function countAll(priced: readonly { month: string; pricing: ReturnType<typeof priceMessage> }[]): Counted[] {
  const groups = Map.groupBy(priced, ({ month, pricing }) => `${month}-01 ${pricing.category}`);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, all]) => {
      const [month = '', category = ''] = key.split(' ');
      const amounts = all.flatMap(({ pricing }) => pricing.amount ?? []);
      const millionths = amounts.reduce((sum, amount) => sum + Math.round(amount * 1e6), 0);
      return {
        month,
        category,
        currency: 'EUR',
        billable: all.filter(({ pricing }) => pricing.billable).length,
        not_billable: all.filter(({ pricing }) => !pricing.billable).length,
        without_price: all.length - amounts.length,
        amount: amounts.length === 0 ? null : String(millionths / 1e6),
      };
    });
}

const utility = { category: 'utility', billable: true };

test('adds up amounts exactly', async () => {
  clock.now = () => new Date('2026-11-20T00:00:00Z');
  const device = await addDevice();
  for (let count = 0; count < 10; count += 1) {
    const id = await addMessage(device, '+15550199');
    await outbox.recordReceipt(device, report(id, 'delivered', utility));
  }
  assert.equal((await selectCounted(device.teamId))[0]?.amount, '1');
});

test('keeps the amount of the first report when prices change, and counts each currency apart', async () => {
  clock.now = () => new Date('2026-11-20T00:00:00Z');
  const device = await addDevice();
  const other = createOutbox({ ...context, clock, messagePrices: parseMessagePrices('USD: utility=3') });
  const [first, second] = [await addMessage(device, '+15550199'), await addMessage(device, '+15550199')];
  await outbox.recordReceipt(device, report(first, 'delivered', utility));
  await other.recordReceipt(device, report(first, 'read', utility));
  await other.recordReceipt(device, report(second, 'delivered', utility));
  assert.deepEqual(await selectPricing(first), { ...utility, amount: 0.1, currency: 'EUR' });
  assert.deepEqual(
    (await selectCounted(device.teamId)).map(({ currency, billable, amount }) => [
      currency,
      billable,
      amount,
    ]),
    [
      ['EUR', 1, '0.1'],
      ['USD', 1, '3'],
    ],
  );
});

test('stores neither the price nor the count while the counter is locked, and both later', async () => {
  clock.now = () => new Date('2026-11-20T00:00:00Z');
  const device = await addDevice();
  const [first, second] = [await addMessage(device, '+15550199'), await addMessage(device, '+15550199')];
  await outbox.recordReceipt(device, report(first, 'delivered', utility));
  await db.transaction().execute(async (tx) => {
    await sql`select from monthly_message_prices where team_id = ${device.teamId} for update`.execute(tx);
    const pricing = { ...utility, amount: 0.1, currency: 'EUR' };
    await assert.rejects(storePricing(db, { id: second, pricing, month: '2026-11-01' }), /lock timeout/);
    assert.equal(await selectPricing(second), null);
  });
  await outbox.recordReceipt(device, report(second, 'read', utility));
  assert.equal((await selectCounted(device.teamId))[0]?.billable, 2);
});
