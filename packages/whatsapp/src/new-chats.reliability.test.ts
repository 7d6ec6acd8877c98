import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SendRefused } from '@parley/server/messaging-network';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

const isRestricted = (error: unknown) => error instanceof SendRefused && error.reason === 'device_restricted';
const settle = (sends: Promise<void>[]) => Promise.allSettled(sends);

describe('new chats of a restricted account', { timeout: 120_000 }, () => {
  const under = setUpDevices();

  it('tries one new chat only, and those that wait for it are not sent', async () => {
    const { device, phone, send } = await under.link('+15557001');
    await under.fake.injectFault(phone, 'restrict');
    const results = await settle(['+15557101', '+15557102', '+15557103'].map((to) => send(`cold ${to}`, to)));
    assert.ok(results.every((result) => result.status === 'rejected' && isRestricted(result.reason)));
    await assert.rejects(send('later', '+15557104'), isRestricted);
    assert.equal((await under.entries('refused', phone)).length, 1);
    const restriction = device.all('restricted').at(-1)?.restriction;
    // The network's own end.
    assert.ok((restriction?.until.getTime() ?? 0) > Date.now() + 3_000_000);
  });

  it('starts new chats again when the network lifts the restriction', async () => {
    const { device, phone, send } = await under.link('+15557002');
    await under.fake.injectFault(phone, 'restrict');
    await assert.rejects(send('too early', '+15557201'), isRestricted);
    await under.fake.injectFault(phone, 'lift_restriction');
    await eventually(async () => assert.equal(device.all('restricted').at(-1)?.restriction, null));
    await send('now', '+15557201');
  });

  it('starts new chats again when the restriction ends', async () => {
    const { phone, send } = await under.link('+15557003');
    await under.fake.injectFault(phone, 'restrict_briefly');
    await assert.rejects(send('too early', '+15557301'), isRestricted);
    await eventually(() => send('now', '+15557301'));
    assert.equal((await under.entries('refused', phone)).length, 1);
  });
});

describe('new chats of a new device', { timeout: 120_000 }, () => {
  const under = setUpDevices({ newChatsPerDay: [2] });

  it('are limited per day, also after a restart', async () => {
    const { device, phone, send, restart } = await under.link('+15557004');
    await send('first', '+15557401');
    await restart();
    await send('second', '+15557402');
    await assert.rejects(send('third', '+15557403'), isRestricted);
    assert.equal((await device.waitFor('restricted')).restriction?.reason, 'warm_up');
    await under.fake.write({ from: '+15557404', to: phone, text: 'hi' });
    await device.waitFor('inbound');
    await send('an answer', '+15557404');
  });
});

describe('new chats of the first days', { timeout: 120_000 }, () => {
  const under = setUpDevices({ newChatsPerDay: [1, 2] });

  it('are limited less each day, and then no longer', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { phone, send, restart } = await under.link('+15557005');
    let chats = 0;
    const start = () => {
      chats += 1;
      return send(`chat ${chats}`, `+155575${String(chats).padStart(2, '0')}`);
    };
    for (const limit of [1, 2]) {
      for (let n = 0; n < limit; n += 1) await start();
      await assert.rejects(start(), isRestricted);
      t.mock.timers.tick(86_400_000);
      await restart();
    }
    for (let n = 0; n < 4; n += 1) await start();
    assert.equal((await under.entries('sent', phone)).length, 1 + 2 + 4);
  });
});
