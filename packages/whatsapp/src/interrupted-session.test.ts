import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeviceUnderTest } from '../../../server/src/adapters/messaging-network/device-under-test.ts';
import type {
  NetworkSession,
  SessionEntry,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { reservePort } from '../../../server/test/reserved-port.ts';
import { type FakeProcess, startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const contact = '+15550199';

describe('a linked device whose session is interrupted', { timeout: 60_000 }, () => {
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  const problems: string[] = [];
  const logger = {
    debug: () => {},
    warn: () => {},
    error: (_: object, problem: string) => void problems.push(problem),
  };

  before(async () => {
    fake = await startFakeProcess();
    network = new WhatsappNetwork({ version: '2.3000.1', logger }, fake.url);
  });
  after(async () => {
    await network.close();
    await fake.close();
  });

  async function linked(phone: string): Promise<DeviceUnderTest> {
    const device = new DeviceUnderTest();
    device.open(network);
    const { text } = await device.waitFor('qr');
    assert.equal(await fake.scan(text, phone), true);
    await device.waitFor('up');
    return device;
  }

  /** Replaces the next write of a message's keys. */
  function atNextMessage(device: DeviceUnderTest, act: (write: () => Promise<void>) => Promise<void>): void {
    const write = device.store.write.bind(device.store);
    device.store.write = async (entries: readonly SessionEntry[]) => {
      if (!entries.some(({ kind }) => kind === 'session')) return write(entries);
      device.store.write = write;
      await act(() => write(entries));
    };
  }

  const confirmationsOf = async (id: string) =>
    (await fake.journal()).flatMap((entry) => ('id' in entry && entry.id === id ? [entry.type] : []));

  it('before it stored the keys of a message decrypts the message again', async () => {
    const phone = '+15551001';
    const device = await linked(phone);
    atNextMessage(device, () => Promise.reject(new Error('the database is away')));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await confirmationsOf(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await confirmationsOf(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('before the pool stored a message delivers the stored copy and confirms the redelivered one', async () => {
    const phone = '+15551006';
    const device = await linked(phone);
    device.handlers.inbound = () => Promise.reject(new Error('the database is away'));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await confirmationsOf(id), []);
    device.handlers = {};
    device.open(network);
    await eventually(async () => assert.deepEqual(await confirmationsOf(id), ['delivered']));
    const [first, second] = device.all('inbound').map(({ message }) => message);
    assert.deepEqual(second, first);
    assert.equal(device.texts().length, 2);
  });

  it('before a confirmation was sent confirms the message without delivering it again', async () => {
    const phone = '+15551002';
    const device = await linked(phone);
    atNextMessage(device, async (write) => {
      await write();
      await fake.injectFault(phone, 'drop');
    });
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await confirmationsOf(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await confirmationsOf(id), ['delivered']));
    await fake.write({ from: contact, to: phone, text: 'two' });
    await device.waitFor('inbound', 1);
    assert.deepEqual(device.texts(), ['one', 'two']);
  });

  it('while the pool stores a message has not confirmed it', async () => {
    const phone = '+15551005';
    const device = new DeviceUnderTest();
    const keeping = Promise.withResolvers<void>();
    device.handlers.inbound = () => keeping.promise;
    const session = device.open(network);
    assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
    await device.waitFor('up');
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    await device.waitFor('inbound');
    // A confirmation would have reached the network before this message.
    const answer = { networkId: 'a1', to: contact, content: { kind: 'text', text: 'two' } } as const;
    await session.send(answer, new AbortController().signal);
    assert.deepEqual(await confirmationsOf(id), []);
    await session.close();
    keeping.resolve();
    await device.waitFor('down');
    assert.deepEqual(await confirmationsOf(id), []);
  });

  it('by a fenced write neither confirms nor rejects the message', async () => {
    const phone = '+15551003';
    const device = await linked(phone);
    device.store.fenced = true;
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'closed');
    assert.deepEqual(await confirmationsOf(id), []);
    device.store.fenced = false;
    device.open(network);
    await eventually(async () => assert.deepEqual(await confirmationsOf(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('because of its client version logs the variable to set', async () => {
    const phone = '+15551004';
    const device = await linked(phone);
    await fake.injectFault(phone, 'outdated');
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.ok(problems.some((problem) => problem.includes('WHATSAPP_VERSION')));
  });

  it('by a close while it connects goes down once', async () => {
    const device = new DeviceUnderTest();
    const session = device.open(network);
    await session.close();
    await session.close();
    await device.waitFor('down');
    assert.deepEqual(device.events, [{ type: 'down', reason: 'closed' }]);
  });

  it('by an unreachable network reports a lost connection', async () => {
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
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    device.store.write = async (entries: readonly SessionEntry[]) => {
      if (entries.some(({ kind }) => kind === 'session')) {
        device.store.write = store;
        begun.resolve();
        await gate.promise;
      }
      return store(entries);
    };
    const sending = send('one');
    await begun.promise;
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

describe('the address of the network', () => {
  it('is that of WhatsApp, or on 127.0.0.1', () => {
    const logger = { debug: () => {}, warn: () => {}, error: () => {} };
    assert.throws(() => new WhatsappNetwork({ version: null, logger }, 'wss://web.example.com/ws/chat'));
    assert.throws(() => new WhatsappNetwork({ version: 'newest', logger }));
  });
});
