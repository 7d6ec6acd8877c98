import assert from 'node:assert/strict';
import { type MockTracker, test } from 'node:test';
import { createLogger } from '../platform/shared/logger.ts';
import type { SessionEvents } from '../ports/messaging-network/messaging-network.ts';
import { HostedDevice } from './hosted-device.ts';
import type { SessionRecord } from './session-record.ts';

const pairingMs = 180_000;
const code = { text: 'code', expiresAt: new Date() };
const phoneNumber = '+15550123';

/** Hosts a device whose rows are not written, on a network that the test controls. */
function host(record: Partial<SessionRecord>) {
  const sessions: SessionEvents[] = [];
  /** The reasons with which the device was stopped. */
  const stops: string[] = [];
  new HostedDevice({
    owner: { deviceId: 'device', teamId: 'team', poolId: 'pool', epoch: 1 },
    openSession(events) {
      sessions.push(events);
      return {
        send: () => Promise.reject(new Error('send is not supported')),
        logout: () => Promise.reject(new Error('logout is not supported')),
        async close() {
          void events.down('closed');
        },
      };
    },
    record: {
      qr: async () => undefined,
      paired: async () => undefined,
      up: async () => undefined,
      down: async () => undefined,
      restricted: async () => undefined,
      account: async () => undefined,
      unlinked: async () => undefined,
      async stopped(reason) {
        stops.push(reason);
      },
      ...record,
    },
    throttle: {
      request(open) {
        queueMicrotask(open);
        return { prioritize: () => undefined, release: () => undefined };
      },
    },
    priority: 'normal',
    timeouts: { openMs: 10_000, pairingMs },
    handlers: {
      inbound: async () => undefined,
      receipt: async () => undefined,
      templates: async () => undefined,
    },
    logger: createLogger('silent'),
    onEvent: () => undefined,
    onUp: () => undefined,
    onEnded: () => undefined,
  });
  return { sessions, stops };
}

const settle = () => new Promise(setImmediate);

test('stops a device whose code no phone used in time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sessions, stops } = host({});
  await settle();
  await sessions[0]?.qr(code);
  t.mock.timers.tick(pairingMs);
  await settle();
  assert.deepEqual(stops, ['qr_timeout']);
});

test('links a phone whose row is being written when the time ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const write = Promise.withResolvers<void>();
  const { sessions, stops } = host({ paired: () => write.promise });
  await settle();
  await sessions[0]?.qr(code);
  const paired = sessions[0]?.paired({ phoneNumber });
  t.mock.timers.tick(pairingMs);
  write.resolve();
  await paired;
  await sessions[0]?.down('restart_required');
  await settle();
  assert.deepEqual([stops, sessions.length], [[], 2]);
});

/** Hosts a device whose first code timed out while the database was unavailable. Its second session shows another code. */
async function showSecondCode({ timers }: MockTracker) {
  timers.enable({ apis: ['setTimeout'] });
  const stops: string[] = [];
  let isAway = true;
  const { sessions } = host({
    async stopped(reason) {
      if (isAway) throw new Error('the database is away');
      stops.push(reason);
    },
  });
  await settle();
  await sessions[0]?.qr(code);
  timers.tick(pairingMs);
  await settle();
  isAway = false;
  timers.tick(60_000);
  await settle();
  await sessions[1]?.qr(code);
  return { sessions, stops };
}

test('links a phone by the second code if the end of the first could not be written', async (t) => {
  const { sessions, stops } = await showSecondCode(t.mock);
  await sessions[1]?.paired({ phoneNumber });
  await sessions[1]?.down('restart_required');
  await settle();
  assert.deepEqual([stops, sessions.length], [[], 3]);
});

test('stops a device whose second code no phone used either', async (t) => {
  const { sessions, stops } = await showSecondCode(t.mock);
  t.mock.timers.tick(pairingMs);
  await settle();
  assert.deepEqual([stops, sessions.length], [['qr_timeout'], 2]);
});
