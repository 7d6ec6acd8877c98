import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { DeliveryAttempt } from '../chat/messages/delivery-attempt.ts';
import type { Outbox } from '../chat/messages/outbox.ts';
import { createLogger } from '../platform/shared/logger.ts';
import type { NetworkSession } from '../ports/messaging-network/messaging-network.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { createPoolMeters } from './pool-metrics.ts';

const pollMs = 1000;
const attempt: DeliveryAttempt = {
  messageId: 'message',
  deviceId: 'device',
  teamId: 'team',
  attempts: 1,
  requestId: null,
  hasMore: false,
  sendsOnce: false,
  parts: [{ networkId: 'MESSAGE', to: '+15550100', content: { kind: 'text', text: 'Hello' } }],
};
const empty: Outbox = {
  listDueDevices: async () => [],
  claim: async () => [],
  load: async ({ parts }) => [...parts],
  recordUnread: async () => undefined,
  recordPostponed: async (_attempt, seconds) => seconds,
  recordSent: async () => undefined,
  recordRefused: async () => undefined,
  scheduleRetry: async () => null,
  recordReceipt: async () => undefined,
  findSent: async () => null,
  sweep: async () => undefined,
};

function dispatcherOver(
  outbox: Outbox,
  session: NetworkSession,
  options: Pick<DispatcherOptions, 'pauseMs'> = {},
): Dispatcher {
  return new Dispatcher({
    ...options,
    outbox,
    poolId: () => 'pool',
    getSession: () => session,
    onDisconnectedDevice: () => undefined,
    logger: createLogger('silent'),
    meters: createPoolMeters(new Registry()),
    recordSpan: () => undefined,
    ackTimeoutMs: 1000,
    pollMs,
  });
}

const acknowledging: NetworkSession = {
  send: async () => undefined,
  logout: async () => undefined,
  close: async () => undefined,
};

test('does not poll the outbox while a poll is running', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let polls = 0;
  let polled = Promise.withResolvers<string[]>();
  const waiting = () => {
    polls += 1;
    return polled.promise;
  };
  const dispatcher = dispatcherOver({ ...empty, listDueDevices: waiting }, acknowledging);
  t.after(() => dispatcher.stop());
  t.mock.timers.tick(3 * pollMs);
  assert.equal(polls, 1);
  polled.resolve([]);
  polled = Promise.withResolvers();
  await nextTurn();
  t.mock.timers.tick(pollMs);
  assert.equal(polls, 2);
});

test('sends messages whose claim was running when it stopped before it becomes idle', async () => {
  const claiming = Promise.withResolvers<void>();
  const claimed = Promise.withResolvers<DeliveryAttempt[]>();
  const claim = () => {
    claiming.resolve();
    return claimed.promise;
  };
  const sent: string[] = [];
  const dispatcher = dispatcherOver(
    { ...empty, claim, recordSent: async ({ messageId }) => void sent.push(messageId) },
    acknowledging,
  );
  dispatcher.wake('device');
  await claiming.promise;
  dispatcher.stop();
  const idle = dispatcher.waitUntilIdle();
  claimed.resolve([attempt]);
  await idle;
  assert.deepEqual(sent, ['message']);
});

test('has at most four messages with media of a device in memory', async (t) => {
  const image = { kind: 'image' as const, mimeType: 'image/png', bytes: Buffer.from('png'), caption: '' };
  const parts = [{ networkId: 'MESSAGE', to: '+15550100', content: image }];
  const rooms: { room: number; mediaRoom: number }[] = [];
  const claim: Outbox['claim'] = async (_, devices) =>
    devices.flatMap(({ room, mediaRoom }) => {
      rooms.push({ room, mediaRoom });
      return rooms.length > 1
        ? []
        : [attempt, ...Array.from({ length: mediaRoom }, () => ({ ...attempt, parts }))];
    });
  const acknowledged = Promise.withResolvers<void>();
  const dispatcher = dispatcherOver(
    { ...empty, claim },
    { ...acknowledging, send: () => acknowledged.promise },
  );
  t.after(() => dispatcher.stop());
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  };
  for (let wake = 0; wake < 2; wake += 1) {
    dispatcher.wake('device');
    await settle();
  }
  acknowledged.resolve();
  await settle();
  dispatcher.wake('device');
  await settle();
  assert.deepEqual(rooms.slice(0, 2), [
    { room: 64, mediaRoom: 4 },
    { room: 59, mediaRoom: 0 },
  ]);
  assert.deepEqual(rooms.at(-1), { room: 64, mediaRoom: 4 });
});

test('pauses between two messages of a device, but not of two devices', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const due = new Map([
    ['device', ['first', 'second']],
    ['other', ['third']],
  ]);
  const claim: Outbox['claim'] = async (_, devices) =>
    devices.flatMap(({ deviceId, room }) =>
      (due.get(deviceId) ?? []).splice(0, room).map((messageId) => ({ ...attempt, deviceId, messageId })),
    );
  const sent: string[] = [];
  const recordSent: Outbox['recordSent'] = async ({ messageId }) => void sent.push(messageId);
  const dispatcher = dispatcherOver({ ...empty, claim, recordSent }, acknowledging, { pauseMs: 1000 });
  t.after(() => dispatcher.stop());
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  };
  dispatcher.wake('device');
  dispatcher.wake('other');
  await settle();
  assert.deepEqual(sent, ['first', 'third']);
  t.mock.timers.tick(499);
  dispatcher.wake('device');
  await settle();
  assert.deepEqual(sent, ['first', 'third'], 'at least half the average pause');
  t.mock.timers.tick(1001);
  await settle();
  assert.deepEqual(sent, ['first', 'third', 'second'], 'at most one and a half times the average pause');
});
