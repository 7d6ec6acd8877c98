import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

const contact = '+15550199';

describe('with typing, read receipts and a client name', { timeout: 60_000 }, () => {
  const under = setUpDevices({ showsTyping: true, sendsReadReceipts: true, clientName: 'Parley Desk' });

  it('shows typing before a text', async () => {
    const { phone, send } = await under.link('+15559001');
    await send('hello', contact);
    const states = (await under.entries('presence', phone)).map(({ state }) => state);
    assert.deepEqual(states.slice(-2), ['composing', 'paused']);
  });

  it('reports a stored message as read', async () => {
    const { phone } = await under.link('+15559002');
    const id = await under.fake.write({ from: contact, to: phone, text: 'hi' });
    await eventually(async () => assert.equal((await under.entries('read', id)).length, 1));
  });

  it('registers under the name', async () => {
    await under.link('+15559003');
    assert.equal((await under.entries('paired', '+15559003'))[0]?.name, 'Parley Desk');
  });
});

describe('without options', { timeout: 60_000 }, () => {
  const under = setUpDevices();

  it('neither shows typing nor reports messages as read', async () => {
    const { device, phone, send } = await under.link('+15559004');
    const id = await under.fake.write({ from: contact, to: phone, text: 'hi' });
    await device.waitFor('inbound');
    await send('hello', contact);
    await eventually(async () => assert.equal((await under.entries('delivered', id)).length, 1));
    const typing = (await under.entries('presence', phone)).filter(({ state }) => state === 'composing');
    assert.deepEqual([typing, await under.entries('read', id)], [[], []]);
  });
});
