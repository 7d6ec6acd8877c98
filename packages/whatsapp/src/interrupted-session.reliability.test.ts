import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NetworkSession, SessionEntry } from '@parley/server/messaging-network';
import { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { reservePort } from '../../../server/test/reserved-port.ts';
import { type FakeProcess, startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const contact = '+15550199';

describe('an interrupted session', { timeout: 60_000 }, () => {
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  const logger = {
    debug: () => {},
    warn: () => {},
    error: () => {},
  };

  before(async () => {
    fake = await startFakeProcess();
    network = new WhatsappNetwork({ version: '2.3000.1', logger }, fake.url);
  });
  after(async () => {
    await network.close();
    await fake.close();
  });

  async function linkDevice(phone: string): Promise<DeviceUnderTest> {
    const device = new DeviceUnderTest();
    device.open(network);
    const { text } = await device.waitFor('qr');
    assert.equal(await fake.scan(text, phone), true);
    await device.waitFor('up');
    return device;
  }

  /** Runs `act` in place of the next write of Signal session keys. */
  function onNextKeyWrite(device: DeviceUnderTest, act: (write: () => Promise<void>) => Promise<void>): void {
    const write = device.store.write.bind(device.store);
    device.store.write = async (entries: readonly SessionEntry[]) => {
      if (!entries.some(({ kind }) => kind === 'session')) return write(entries);
      device.store.write = write;
      await act(() => write(entries));
    };
  }

  const readConfirmations = async (id: string) =>
    (await fake.journal()).flatMap((entry) => ('id' in entry && entry.id === id ? [entry.type] : []));

  it('decrypts a message again when its keys could not be stored', async () => {
    const phone = '+15551001';
    const device = await linkDevice(phone);
    onNextKeyWrite(device, () => Promise.reject(new Error('the database is unavailable')));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await readConfirmations(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await readConfirmations(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('delivers its copy of a message that the pool could not store, and confirms the redelivered one', async () => {
    const phone = '+15551006';
    const device = await linkDevice(phone);
    device.handlers.inbound = () => Promise.reject(new Error('the database is unavailable'));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await readConfirmations(id), []);
    device.handlers = {};
    device.open(network);
    await eventually(async () => assert.deepEqual(await readConfirmations(id), ['delivered']));
    const [first, second] = device.all('inbound').map(({ message }) => message);
    assert.deepEqual(second, first);
    assert.equal(device.texts().length, 2);
  });

  it('confirms a redelivered message without delivering it again when the confirmation was lost', async () => {
    const phone = '+15551002';
    const device = await linkDevice(phone);
    onNextKeyWrite(device, async (write) => {
      await write();
      await fake.injectFault(phone, 'drop');
    });
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await readConfirmations(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await readConfirmations(id), ['delivered']));
    await fake.write({ from: contact, to: phone, text: 'two' });
    await device.waitFor('inbound', 1);
    assert.deepEqual(device.texts(), ['one', 'two']);
  });

  it('does not confirm a message while the pool stores it', async () => {
    const phone = '+15551005';
    const device = new DeviceUnderTest();
    const storing = Promise.withResolvers<void>();
    device.handlers.inbound = () => storing.promise;
    const session = device.open(network);
    assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
    await device.waitFor('up');
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    await device.waitFor('inbound');
    // A confirmation would have reached the network before this message.
    const reply = { networkId: 'a1', to: contact, content: { kind: 'text', text: 'two' } } as const;
    await session.send(reply, new AbortController().signal);
    assert.deepEqual(await readConfirmations(id), []);
    await session.close();
    storing.resolve();
    await device.waitFor('down');
    assert.deepEqual(await readConfirmations(id), []);
  });

  it('delivers messages of the time without a connection before newer ones', async () => {
    const phone = '+15551008';
    const device = await linkDevice(phone);
    await fake.injectFault(phone, 'drop');
    await device.waitFor('down');
    const queued = ['one', 'two', 'three'];
    for (const text of queued) await fake.write({ from: contact, to: phone, text });
    device.handlers.inbound = async () => {
      device.handlers = {};
      await fake.write({ from: contact, to: phone, text: 'new' });
      // The new message has reached the device before this one is acknowledged.
      const reply = { networkId: 'a2', to: contact, content: { kind: 'text', text: 'reply' } } as const;
      await session.send(reply, new AbortController().signal);
    };
    const session = device.open(network);
    await device.waitFor('inbound', queued.length);
    assert.deepEqual(device.texts(), [...queued, 'new']);
  });

  it('neither confirms nor rejects a message after a fenced write', async () => {
    const phone = '+15551003';
    const device = await linkDevice(phone);
    device.store.fenced = true;
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'closed');
    assert.deepEqual(await readConfirmations(id), []);
    device.store.fenced = false;
    device.open(network);
    await eventually(async () => assert.deepEqual(await readConfirmations(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('stores the keys of a message before it sends it', async () => {
    const phone = '+15551007';
    const device = await linkDevice(phone);
    const session = device.open(network);
    await device.waitFor('up', 1);
    onNextKeyWrite(device, () => Promise.reject(new Error('the database is unavailable')));
    const message = { networkId: 'unsent', to: contact, content: { kind: 'text', text: 'one' } } as const;
    await assert.rejects(session.send(message, new AbortController().signal));
    await device.waitFor('down', 1);
    const sent = (await fake.journal()).filter((entry) => entry.type === 'sent' && entry.id === 'unsent');
    assert.deepEqual(sent, []);
  });

  it('goes down once when it is closed while connecting', async () => {
    const device = new DeviceUnderTest();
    const session = device.open(network);
    await session.close();
    await session.close();
    await device.waitFor('down');
    assert.deepEqual(device.events, [{ type: 'down', reason: 'closed' }]);
  });

  it('reports a lost connection when the network is unreachable', async () => {
    const { port, release } = await reservePort();
    const device = new DeviceUnderTest();
    device.open(new WhatsappNetwork({ version: null, logger }, `ws://127.0.0.1:${port}`));
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    await release();
  });
});

describe('a busy chat', { timeout: 60_000 }, () => {
  const logger = { debug: () => {}, warn: () => {}, error: () => {} };
  const phone = '+15552001';
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  const device = new DeviceUnderTest();
  let session: NetworkSession;

  before(async () => {
    fake = await startFakeProcess();
    network = new WhatsappNetwork({ version: null, logger }, fake.url);
    session = device.open(network);
    assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
    await device.waitFor('up');
    // Before both sides have replied, the library may create two encryption sessions for one chat.
    await send('greeting');
    await write('greeting');
    await device.waitFor('inbound');
  });
  after(async () => {
    await network.close();
    await fake.close();
  });

  const send = (text: string) =>
    session.send(
      { networkId: text, to: contact, content: { kind: 'text', text } },
      AbortSignal.timeout(30_000),
    );
  const write = (text: string) => fake.write({ from: contact, to: phone, text });
  const sent = async () =>
    (await fake.journal()).flatMap((entry) => (entry.type === 'sent' ? [entry.text] : []));

  it('does not decrypt a message while it encrypts another one and stores its keys', async () => {
    const store = device.store.write.bind(device.store);
    const [writeStarted, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    device.store.write = async (entries: readonly SessionEntry[]) => {
      if (entries.some(({ kind }) => kind === 'session')) {
        device.store.write = store;
        writeStarted.resolve();
        await gate.promise;
      }
      return store(entries);
    };
    const sending = send('one');
    await writeStarted.promise;
    await write('a');
    // Leaves time for a decryption that would be too early.
    for (let times = 0; times < 10; times += 1) await fake.journal();
    gate.resolve();
    await sending;
    await device.waitFor('inbound', 1);
    await send('two');
    assert.deepEqual(await sent(), ['greeting', 'one', 'two']);
  });

  it('decrypts all messages that cross each other', async () => {
    const before = device.texts().length;
    const each = Array.from({ length: 24 }, (_, index) => `message ${index}`);
    const writing = (async () => {
      for (const text of each) await write(text);
    })();
    for (let index = 0; index < each.length; index += 4)
      await Promise.all(each.slice(index, index + 4).map(send));
    await writing;
    await device.waitFor('inbound', before + each.length - 1);
    assert.deepEqual(device.texts().slice(before), each);
    assert.deepEqual((await sent()).slice(-each.length).toSorted(), each.toSorted());
  });
});

describe('WhatsappNetwork', () => {
  it('rejects the URL of another host, and an invalid version', () => {
    const logger = { debug: () => {}, warn: () => {}, error: () => {} };
    assert.throws(() => new WhatsappNetwork({ version: null, logger }, 'wss://web.example.com/ws/chat'));
    assert.throws(() => new WhatsappNetwork({ version: 'newest', logger }));
  });
});
