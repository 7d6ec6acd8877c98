import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { DueDelivery } from './deliveries.queries.ts';
import { newSecret } from './secrets.ts';
import { WebhookQueue } from './webhook-queue.ts';

const limit = 2 * 1024 * 1024;

/** A queue whose posts end with the given status. */
function createQueue(status: Promise<number>) {
  const finished: DueDelivery[] = [];
  const queue = new WebhookQueue(
    {
      id: newId(),
      team_id: null,
      url: 'https://hooks.example.com/',
      thin: false,
      failing_since: null,
      secret_sealed: Buffer.alloc(0),
      previous_secret_sealed: null,
    },
    {
      outbound: { open: () => ({ post: () => status, close: async () => undefined }) },
      encryption: { open: () => Buffer.from(newSecret()) },
      finish: (delivery) => finished.push(delivery),
    },
  );
  const add = (bytes: number) =>
    queue.add({
      webhook_id: newId(),
      event_id: newId(),
      attempts: 0,
      queued_at: new Date(),
      type: 'message.received',
      team_id: null,
      data: {},
      data_bytes: bytes,
      created_at: new Date(),
    });
  return { queue, finished, add };
}

test('reads no further ahead than 2 MiB of data until the outcomes are stored', async () => {
  const response = Promise.withResolvers<number>();
  const { queue, finished, add } = createQueue(response.promise);
  const bytesOfRoom = () => queue.room?.bytes;
  assert.deepEqual(queue.room, { deliveries: 2000, bytes: limit });
  add(limit / 4);
  assert.equal(bytesOfRoom(), (limit * 3) / 4);
  add(limit / 2);
  assert.equal(bytesOfRoom(), undefined);
  response.resolve(204);
  await eventually(async () => assert.equal(finished.length, 2));
  assert.equal(bytesOfRoom(), undefined);
  for (const delivery of finished) queue.settle(delivery);
  assert.equal(bytesOfRoom(), limit);
});

test('asks for no more deliveries than fit, judging by the last ones', async () => {
  const { queue, finished, add } = createQueue(Promise.resolve(204));
  const deliver = async (count: number, bytes: number) => {
    const expected = finished.length + count;
    for (let n = 0; n < count; n += 1) add(bytes);
    await eventually(async () => assert.equal(finished.length, expected));
    for (const delivery of finished) queue.settle(delivery);
    return queue.room?.deliveries ?? 0;
  };
  assert.equal(await deliver(100, 500), 2000);
  const large = await deliver(100, limit / 8);
  assert.ok(large >= 8 && large <= 10, `${large} deliveries`);
  assert.equal(await deliver(200, 500), 2000);
});

test('counts no data of deliveries that it drops after a failure', async () => {
  const response = Promise.withResolvers<number>();
  const { queue, finished, add } = createQueue(response.promise);
  for (let n = 0; n < 40; n += 1) add(limit / 64);
  response.resolve(500);
  await eventually(async () => assert.ok(finished.length > 0 && finished.length < 40));
  for (const delivery of finished) queue.settle(delivery);
  assert.deepEqual(queue.room, { deliveries: 1, bytes: limit });
});
