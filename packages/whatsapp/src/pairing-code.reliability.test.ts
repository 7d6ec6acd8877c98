import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { type FakeProcess, startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const logger = { debug: () => {}, warn: () => {}, error: () => {} };
const phone = '+15554001';

describe('a pairing code', { timeout: 60_000 }, () => {
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  before(async () => {
    fake = await startFakeProcess();
    network = new WhatsappNetwork({ version: null, logger }, fake.url);
  });
  after(async () => {
    await network.close();
    await fake.close();
  });

  it('links the phone on which it is entered', async () => {
    const device = new DeviceUnderTest({ pairingPhoneNumber: phone });
    const session = device.open(network);
    const { text } = await device.waitFor('qr');
    assert.match(text, /^[0-9A-Z]{8}$/);
    assert.equal(await fake.enterCode(text, phone), true);
    assert.equal((await device.waitFor('up')).phoneNumber, phone);
    await fake.write({ from: '+15554099', to: phone, text: 'hello' });
    await device.waitFor('inbound');
    await session.close();
    await device.waitFor('down');
    device.open(network);
    await device.waitFor('up', 1);
    assert.deepEqual(device.texts(), ['hello']);
  });

  it('links no phone on which another code is entered, and leaves no credentials', async () => {
    const device = new DeviceUnderTest({ pairingPhoneNumber: phone });
    const session = device.open(network);
    await device.waitFor('qr');
    assert.equal(await fake.enterCode('WRONG234', phone), false);
    await session.close();
    await device.waitFor('down');
    assert.deepEqual(device.all('paired'), []);
    assert.equal(device.store.size, 0);
  });

  it('is given to a client with a name of its own, which the phone shows', async () => {
    const named = new WhatsappNetwork({ version: null, logger, clientName: 'Acme Bikes' }, fake.url);
    const device = new DeviceUnderTest({ pairingPhoneNumber: '+15554002' });
    device.open(named);
    const { text } = await device.waitFor('qr');
    assert.equal(await fake.enterCode(text, '+15554002'), true);
    await device.waitFor('up');
    const names = (await fake.journal()).flatMap((entry) => (entry.type === 'paired' ? [entry.name] : []));
    assert.equal(names.at(-1), 'Acme Bikes');
    await named.close();
  });

  it('that the network refuses is not shown, and the session ends with the reason', async () => {
    await fake.exhaust('+15554003');
    const device = new DeviceUnderTest({ pairingPhoneNumber: '+15554003' });
    device.open(network);
    assert.equal((await device.waitFor('down')).reason, 'too_many_codes');
    assert.deepEqual(device.all('qr'), []);
  });
});
