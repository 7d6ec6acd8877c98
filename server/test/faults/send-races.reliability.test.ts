import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../src/platform/shared/ids.ts';
import type { Api, ApiResponse } from '../api-client.ts';
import { addDevice, addTeamWithBot, linkDevice, newPhone } from '../devices.ts';
import { eventually } from '../eventually.ts';
import { startTwoApis } from './two-apis.ts';

const attempts = 400;

const app = await startTwoApis();
const { db } = app.context;
const { network } = app;

interface Sender {
  teamId: string;
  deviceId: string;
  phone: string;
}

/** Creates a connected device of a team with this monthly quota. */
async function addSender(quota: number): Promise<Sender> {
  const plan = `plan-${newId()}`;
  const quotas = { bots: 9, accounts: 9, characters: 9, documents: 9, members: 9, credits: 9 };
  await app.api('PUT', `/plans/${plan}`, {
    body: {
      features: { allowActiveMessaging: true },
      active_messages_monthly: quota,
      paying: true,
      quotas,
    },
  });
  const ids = await addTeamWithBot(db, { plan });
  const deviceId = await addDevice(app, ids);
  const phone = newPhone();
  await linkDevice(app, deviceId, phone);
  return { ...ids, deviceId, phone };
}

const getContact = (n: number): string => `+1557${String(n).padStart(7, '0')}`;

const send = (api: Api, { deviceId }: Sender, to: string, headers = {}): Promise<ApiResponse> =>
  api('POST', '/send', {
    body: { device_id: deviceId, message: 'Your bicycle is ready', destination_number: to },
    headers,
  });

/** Sends messages concurrently, each to its own contact, alternating between the APIs. */
const sendMany = (sender: Sender, count: number): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => send(app.nth(n), sender, getContact(n))));

const withStatus = (answers: readonly ApiResponse[], status: number) =>
  answers.filter((answer) => answer.status === status);

async function chargesByMonth({ teamId }: Sender): Promise<Record<string, number>> {
  const { rows } = await sql<{ month: string; used: number }>`
    select month, active_messages as used from monthly_usage where team_id = ${teamId}`.execute(db);
  return Object.fromEntries(rows.map(({ month, used }) => [month, used]));
}

const totalCharged = async (sender: Sender): Promise<number> =>
  Object.values(await chargesByMonth(sender)).reduce((sum, used) => sum + used, 0);

describe(`${attempts} concurrent active messages over two APIs`, () => {
  for (const [quota, limit] of [
    [0, 0],
    [1, 1],
    [10, 10],
    [19, 19],
    [20, 21],
    [100, 105],
  ] as const) {
    test(`are accepted ${limit} times with a quota of ${quota}`, async () => {
      const sender = await addSender(quota);
      const answers = await sendMany(sender, attempts);
      assert.equal(withStatus(answers, 200).length, limit);
      const refused = withStatus(answers, 429);
      assert.equal(refused.length, attempts - limit);
      for (const { body, headers } of refused) {
        const { resets_at: resetsAt, ...details } = body.error.details;
        assert.deepEqual(details, { reason: 'active_messages', quota, used: limit, limit });
        assert.match(resetsAt, /^\d{4}-\d{2}-01T00:00:00\.000Z$/);
        assert.equal(headers.get('x-ratelimit-remaining'), '0');
      }
      assert.equal(await totalCharged(sender), limit);
      const { rows } = await sql<{ messages: number }>`
        select count(*) as messages from messages where device_id = ${sender.deviceId}`.execute(db);
      assert.equal(rows[0]?.messages, limit);
    });
  }
});

test('50 concurrent requests with one Idempotency-Key create one message and one charge', async () => {
  const sender = await addSender(100);
  const headers = { 'idempotency-key': newId() };
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => send(app.nth(n), sender, getContact(0), headers)),
  );
  const succeeded = withStatus(answers, 200);
  assert.ok(succeeded.length > 0);
  assert.equal(new Set(succeeded.map(({ body }) => body.data.messageId)).size, 1);
  for (const { body } of withStatus(answers, 400)) {
    assert.equal(body.details.reason, 'idempotency_in_flight');
  }
  assert.equal(succeeded.length + withStatus(answers, 400).length, 50);
  assert.equal(await totalCharged(sender), 1);
  assert.equal((await network.received(getContact(0), sender.phone)).length, 1);
});

test('refunds each refused message once, and the refunded quota is usable', async () => {
  const sender = await addSender(19);
  await network.fault(sender.phone, 'refuse_next', { count: 10 });
  const answers = await sendMany(sender, 60);
  const refused = withStatus(answers, 500);
  assert.equal(refused.length, 10);
  for (const { body } of refused) assert.equal(body.details.reason, 'network_refused');
  assert.equal(await totalCharged(sender), withStatus(answers, 200).length);
  const more = await sendMany(sender, 40);
  assert.equal(withStatus([...answers, ...more], 200).length, 19);
  assert.equal(await totalCharged(sender), 19);
});

test('delivers and charges each message once when acknowledgements are lost over two APIs', async () => {
  const sender = await addSender(100);
  await network.fault(sender.phone, 'lose_ack_next', { count: 10 });
  const answers = await sendMany(sender, 10);
  assert.equal(withStatus(answers, 200).length, 10);
  await eventually(async () => {
    const { rows } = await sql`
      select from messages where device_id = ${sender.deviceId} and status = 'accepted'`.execute(db);
    assert.equal(rows.length, 0);
  });
  for (let n = 0; n < 10; n += 1) {
    assert.equal((await network.received(getContact(n), sender.phone)).length, 1);
  }
  assert.equal(await totalCharged(sender), 10);
});

test('a month begins in UTC with its full quota, and a refund goes to the month of its charge', async () => {
  const sender = await addSender(10);
  const clock = { at: new Date('2027-01-31T23:59:59.999Z'), now: () => clock.at };
  const { api } = await app.addApi({ replacements: { clock } });
  const sendTwelve = () =>
    Promise.all(Array.from({ length: 12 }, (_, n) => send(api, sender, getContact(n)))).then((answers) =>
      answers.map(({ status }) => status).sort(),
    );
  const tenOfTwelve = [...Array<number>(10).fill(200), 429, 429];
  assert.deepEqual(await sendTwelve(), tenOfTwelve);
  clock.at = new Date('2027-02-01T00:00:00.000Z');
  await network.fault(sender.phone, 'refuse_next');
  assert.equal((await send(api, sender, getContact(0))).status, 500);
  assert.deepEqual(await chargesByMonth(sender), { '2027-01-01': 10, '2027-02-01': 0 });
  assert.deepEqual(await sendTwelve(), tenOfTwelve);
  assert.deepEqual(await chargesByMonth(sender), { '2027-01-01': 10, '2027-02-01': 10 });
});
