import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../devices.ts';
import { eventually } from '../eventually.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { createCaller, createPartnerFixture } from './partner-fixture.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';

const rounds = repetitions(1, 5);
/** The process dies there, once. A second worker may be faster; then it does not die. */
const points = ['inbound.after_commit', 'answer.after_commit', 'outbox.after_wire', 'outbox.after_settle'];
const notice = 'I am the automatic assistant of Harbour.';
const longMs = 60_000;

const database = await createTestDatabase();
after(() => database.drop());
const network = await startTestNetwork();
after(() => network.close());
const oracle = await openTestContext(database.url);
after(() => oracle.close());
const { key } = await startApiOn(oracle);
const { db } = oracle;

const processes = await serverProcesses({
  ROLES: 'api,pool,worker',
  DATABASE_URL: database.url,
  SIMULATOR_URL: network.url,
  DISCLOSURE_DEFAULT: 'first_reply',
  LEASE_SECONDS: '1',
  RATE_LIMIT_PER_MINUTE: '0',
});
let server: ServerProcess = await processes.start();
await processes.start({ ROLES: 'worker' });
const call = createCaller(
  () => server.url,
  () => key.token,
);
const fixture = await createPartnerFixture(call, network);

const textsFor = async (contact: string): Promise<string[]> =>
  (await network.received(contact, fixture.phone)).map(({ text }) => text ?? '');

async function restart(environment: Record<string, string> = {}): Promise<void> {
  await server.kill();
  // Messages of before may lead to the fault point at once.
  server = await processes.start(environment).catch(() => processes.start());
}

const ask = (contact: string, text: string) => network.write({ from: contact, to: fixture.phone, text });

test('the first answer carries the notice once, wherever a process is killed, with two workers', async () => {
  for (let round = 0; round < rounds; round += 1)
    for (const point of points) {
      const contact = newPhone();
      await restart({ FAULT_POINT: point });
      await ask(contact, 'When do you open?');
      await Promise.race([
        server.ended,
        eventually(async () => assert.ok((await textsFor(contact)).length > 0), longMs),
      ]);
      await restart();
      await eventually(async () => assert.equal((await textsFor(contact)).length, 1), longMs);
      await ask(contact, 'Do you rent out tandems?');
      await eventually(async () => assert.equal((await textsFor(contact)).length, 2), longMs);
      const [first = '', second = ''] = await textsFor(contact);
      assert.ok(first.includes(notice), `${point}: ${first}`);
      assert.ok(!second.includes(notice), `${point}: ${second}`);
    }
});

test('no active message gets an attempt after a committed opt-out, and refunds happen once', async () => {
  for (let round = 0; round < rounds; round += 1)
    for (const point of ['inbound.after_commit', 'outbox.after_claim', 'outbox.after_settle']) {
      const contact = newPhone();
      await restart({ FAULT_POINT: point });
      let isOver = false;
      const sends = Array.from({ length: 4 }, async () => {
        while (!isOver)
          await call('POST', '/send', {
            device_id: fixture.deviceId,
            destination_number: contact,
            message: 'Your bicycle is ready',
          });
      });
      await ask(contact, 'STOP');
      await Promise.race([server.ended, untilOptedOut(contact)]);
      await restart();
      const committedAt = await untilOptedOut(contact);
      isOver = true;
      await Promise.all(sends);
      await eventually(async () => assert.equal((await readMessages(contact)).open, 0), longMs);
      const found = await readMessages(contact, committedAt);
      assert.deepEqual([found.late, found.refundedAndSent], [0, 0], point);
      const { rows } = await sql<{ charged: number; used: number }>`
        select (select count(*)::int from messages where charged_month is not null and not refunded) as charged,
               (select coalesce(sum(active_messages), 0)::int from monthly_usage) as used`.execute(db);
      assert.equal(rows[0]?.used, rows[0]?.charged, point);
      const refused = await call('POST', '/send', {
        device_id: fixture.deviceId,
        destination_number: contact,
        message: 'Your bicycle is ready',
      });
      assert.ok(
        ['recipient_opted_out', 'device_not_connected'].includes(refused?.body.details?.reason),
        JSON.stringify(refused),
      );
    }
});

/** Returns the database's time after the opt-out was committed. */
const untilOptedOut = (contact: string): Promise<Date> =>
  eventually(async () => {
    const { rows } = await sql<{ now: Date }>`
      select clock_timestamp() as now from consents
      where team_id = ${fixture.teamId} and contact = ${contact} and state = 'out'`.execute(db);
    assert.ok(rows[0]);
    return rows[0].now;
  }, longMs);

async function readMessages(contact: string, committedAt: Date | null = null) {
  const { rows } = await sql<{ open: number; late: number; refundedAndSent: number }>`
    select count(*) filter (where status = 'accepted')::int as open,
           count(*) filter (where handed_off_at > ${committedAt}::timestamptz)::int as late,
           count(*) filter (where refunded and status in ('sent', 'delivered', 'read'))::int as "refundedAndSent"
    from messages where contact_number = ${contact} and origin = 'api'`.execute(db);
  assert.ok(rows[0]);
  return rows[0];
}
