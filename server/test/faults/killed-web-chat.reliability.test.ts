import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createVisitor, shop } from '../web-visitor.ts';
import { longMs, signals, startPushedNetwork } from './pushed-network.ts';
import { repetitions } from './repetitions.ts';

const rounds = repetitions(1, 5);
const points = [
  'inbox.after_store',
  'inbox.after_receive',
  'inbound.after_commit',
  'answer.after_commit',
  'outbox.after_wire',
  'outbox.after_settle',
  'receipt.after_commit',
];

const { call, deviceId, url, ended, restart, listChat: listMessages } = await startPushedNetwork('web');
await call('PATCH', `/devices/${deviceId}`, { web_chat: { allowed_origins: [shop] } });
await call('POST', `/devices/${deviceId}/connect`);

/** A visitor repeats a message under its id until it is accepted. */
const writeUntilAccepted = (visitor: ReturnType<typeof createVisitor>, id: string, text: string) =>
  eventually(async () => assert.equal((await visitor.write(id, text)).status, 200), longMs);

for (const { name, suffix } of signals)
  test(`every message is stored and answered once, wherever the process gets ${name}`, async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const point of points) {
        const visitor = createVisitor(url, deviceId);
        await visitor.visit();
        await restart(`${point}${suffix}`);
        const writing = writeUntilAccepted(visitor, 'message-1', 'When do you open?');
        // The read receipt may arrive before the process ends, while it ends, or again afterwards.
        const reading = writing
          .then(() => eventually(untilAnswered(visitor), longMs))
          .then(() => report(visitor, 'read'));
        await Promise.race([ended(), reading.then(() => eventually(untilRead(visitor), longMs))]);
        await restart();
        await writing;
        await writeUntilAccepted(visitor, 'message-1', 'When do you open?');
        await eventually(untilAnswered(visitor), longMs);
        await report(visitor, 'read');
        await report(visitor, 'delivered');
        await writeUntilAccepted(visitor, 'message-2', 'Do you rent tandems?');
        await eventually(async () => {
          const chat = (await listChat(visitor)).map(({ direction, status, text }) =>
            direction === 'in' ? text : status,
          );
          assert.deepEqual(chat, ['When do you open?', 'read', 'Do you rent tandems?', 'sent'], point);
        }, longMs);
      }
  });

/** Over the size that the database keeps. */
const large = Buffer.alloc(200_000, 'boat ');

for (const { name, suffix } of signals)
  test(`a large file is stored once with all its bytes when the process gets ${name} after the file`, async () => {
    const visitor = createVisitor(url, deviceId);
    await visitor.visit();
    await restart(`media.after_put${suffix}`);
    const file = { name: 'boats.txt', type: 'text/plain', base64: large.toString('base64') };
    const writing = eventually(async () => {
      const { status } = await visitor.call('POST', 'messages', { id: 'message-1', text: '', file });
      assert.equal(status, 200);
    }, longMs);
    await ended();
    await restart();
    await writing;
    await writeUntilAccepted(visitor, 'message-2', 'Do you rent tandems?');
    await eventually(async () => {
      const received = (await listChat(visitor)).filter(({ direction }) => direction === 'in');
      assert.equal(received.length, 2);
      const response = await visitor.call('GET', `media/${received[0]?.id}`);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), large);
    }, longMs);
  });

/** Reports all answers, and again until the report is accepted. */
const report = (visitor: ReturnType<typeof createVisitor>, state: 'delivered' | 'read') =>
  eventually(async () => {
    const ids = (await listChat(visitor)).filter(({ direction }) => direction === 'out').map(({ id }) => id);
    assert.equal((await visitor.call('POST', 'receipts', { ids, state })).status, 200);
  }, longMs);

const untilRead = (visitor: ReturnType<typeof createVisitor>) => async () =>
  assert.equal((await listChat(visitor)).at(-1)?.status, 'read');

const listChat = (visitor: ReturnType<typeof createVisitor>) => listMessages(visitor.contact());

const untilAnswered = (visitor: ReturnType<typeof createVisitor>) => async () => {
  const answers = (await listChat(visitor)).filter(
    ({ direction, status }) => direction === 'out' && ['sent', 'delivered', 'read'].includes(status),
  );
  assert.equal(answers.length, 1);
};
