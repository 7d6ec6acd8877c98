import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { NetworkSession } from '../adapters/messaging-network/messaging-network.ts';
import type { DeliveryAttempt } from '../messages/delivery-attempt.ts';
import type { Outbox } from '../messages/outbox.ts';
import { createPoolMeters } from '../metrics/pool-metrics.ts';
import { createLogger } from '../shared/logger.ts';
import { Dispatcher } from './dispatcher.ts';

const pollMs = 1000;
const handOff: DeliveryAttempt = {
  messageId: 'message',
  deviceId: 'device',
  teamId: 'team',
  attempts: 1,
  more: false,
  parts: [{ networkId: 'MESSAGE', to: '+15550100', content: { kind: 'text', text: 'Hello' } }],
};
/** An outbox in which nothing waits. */
const empty: Outbox = {
  listDueDevices: async () => [],
  claim: async () => [],
  recordSent: async () => undefined,
  recordRefused: async () => undefined,
  scheduleRetry: async () => null,
  receipt: async () => undefined,
  sweep: async () => undefined,
};

function dispatcherOver(outbox: Outbox, session: NetworkSession): Dispatcher {
  return new Dispatcher({
    outbox,
    poolId: () => 'pool',
    getSession: () => session,
    onDisconnectedDevice: () => undefined,
    logger: createLogger('silent'),
    faultPoint: () => undefined,
    meters: createPoolMeters(new Registry()),
    ackTimeoutMs: 1000,
    pollMs,
  });
}

const acknowledging: NetworkSession = {
  send: async () => undefined,
  logout: async () => undefined,
  close: async () => undefined,
};

test('a look at the outbox that takes long is not joined by others', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let looks = 0;
  let looked = Promise.withResolvers<string[]>();
  const waiting = () => {
    looks += 1;
    return looked.promise;
  };
  const dispatcher = dispatcherOver({ ...empty, listDueDevices: waiting }, acknowledging);
  t.after(() => dispatcher.stop());
  t.mock.timers.tick(3 * pollMs);
  assert.equal(looks, 1);
  looked.resolve([]);
  looked = Promise.withResolvers();
  await othersTurn();
  t.mock.timers.tick(pollMs);
  assert.equal(looks, 2);
});

test('what is just being claimed when the dispatcher stops is handed off before it is drained', async () => {
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
  const drained = dispatcher.waitUntilIdle();
  claimed.resolve([handOff]);
  await drained;
  assert.deepEqual(sent, ['message']);
});
