import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { DeliveryWorkerOptions } from '../../../test/delivery-worker.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startWebhookReceiver } from '../../../test/webhook-receiver.ts';

const receiver = await startWebhookReceiver();
const app = await startTestApp();
const { db } = app.context;
const { rows: databases } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const databaseUrl = new URL(app.context.databaseUrl);
databaseUrl.pathname = `/${databases[0]?.name}`;

/** Starts a worker process that only delivers. With a fault point, it kills itself there. */
async function startWorker(faultPoint?: string) {
  const child = fork(new URL('../../../test/delivery-worker.ts', import.meta.url), { stdio: 'inherit' });
  after(() => child.kill('SIGKILL'));
  const options: DeliveryWorkerOptions = { databaseUrl: databaseUrl.href, host: receiver.host, faultPoint };
  child.send(options);
  await once(child, 'message');
  return child;
}

async function addHook(path: string, body: object): Promise<void> {
  await receiver.set({ path, status: 204 });
  const created = await app.api('POST', '/webhooks', {
    body: { url: receiver.url(path), events: ['*'], ...body },
  });
  await receiver.set({ path, secret: created.body.data.secret });
}

const record = (count: number, from: number) =>
  sql`
    insert into events (type, data, device_id, contact_number)
    select 'quota.reached', jsonb_build_object('used', n), '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c03', '+1' || n % 20
    from generate_series(${from}::int, ${from + count - 1}::int) n`.execute(db);

test('delivers every event at least once, and none that did not commit, when workers are killed', async () => {
  await addHook('/all', {});
  await addHook('/ordered', { ordered: true });
  await record(400, 1);
  const first = await startWorker('webhook.after_post@150');
  await once(first, 'exit');
  await db
    .transaction()
    .execute(async (tx) => {
      await sql`insert into events (type, data) values ('quota.reached', '{"used": -1}')`.execute(tx);
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  const second = await startWorker();
  await record(400, 401);
  await eventually(async () => assert.ok(receiver.received('/all').length > 300), 60_000);
  second.kill('SIGKILL');
  await startWorker();
  for (const path of ['/all', '/ordered']) {
    await eventually(async () => {
      const used = new Set(receiver.received(path).map(({ event }) => event.data['used']));
      assert.deepEqual(used, new Set(Array.from({ length: 800 }, (_, n) => n + 1)));
    }, 60_000);
    const received = receiver.received(path);
    assert.ok(received.every(({ verified }) => verified));
    assert.equal(new Set(received.map(({ id }) => id)).size, 800);
  }
  assertInOrder(receiver.received('/ordered').map(({ event }) => Number(event.data['used'])));
  await eventually(async () => {
    const { rows } = await sql<{ pending: number }>`
      select count(*)::int as pending from webhook_deliveries where status = 'pending'`.execute(db);
    assert.equal(rows[0]?.pending, 0);
  });
});

/** A repetition after a kill goes back at most to the last unconfirmed event of its chat. */
function assertInOrder(used: readonly number[]): void {
  const latest = new Map<number, number>();
  for (const n of used) {
    const before = latest.get(n % 20) ?? 0;
    assert.ok(n === before || n === before + 20 || before === 0, `${n} came after ${before}`);
    latest.set(n % 20, n);
  }
}
