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

describe('a linked device that is cut off', { timeout: 60_000 }, () => {
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

  /** Does something else once, in place of the first write of a message's keys. */
  function atNextMessage(device: DeviceUnderTest, act: (write: () => Promise<void>) => Promise<void>): void {
    const write = device.store.write.bind(device.store);
    device.store.write = async (entries: readonly SessionEntry[]) => {
      if (!entries.some(({ kind }) => kind === 'session')) return write(entries);
      device.store.write = write;
      await act(() => write(entries));
    };
  }

  const wordsOn = async (id: string) =>
    (await fake.journal()).flatMap((entry) => ('id' in entry && entry.id === id ? [entry.type] : []));

  it('before it could store the keys of a message opens that message once more', async () => {
    const phone = '+15551001';
    const device = await linked(phone);
    atNextMessage(device, () => Promise.reject(new Error('the database is away')));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await wordsOn(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await wordsOn(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('before a message was kept hands over what it had stored, and confirms what it cannot open again', async () => {
    const phone = '+15551006';
    const device = await linked(phone);
    device.handlers.inbound = () => Promise.reject(new Error('the database is away'));
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await wordsOn(id), []);
    device.handlers = {};
    device.open(network);
    await eventually(async () => assert.deepEqual(await wordsOn(id), ['delivered']));
    const [first, second] = device.all('inbound').map(({ message }) => message);
    assert.deepEqual(second, first);
    assert.equal(device.texts().length, 2);
  });

  it('before its confirmation reached the network confirms the message without handing it over again', async () => {
    const phone = '+15551002';
    const device = await linked(phone);
    atNextMessage(device, async (write) => {
      await write();
      await fake.injectFault(phone, 'drop');
    });
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.deepEqual(await wordsOn(id), []);
    device.open(network);
    await eventually(async () => assert.deepEqual(await wordsOn(id), ['delivered']));
    await fake.write({ from: contact, to: phone, text: 'two' });
    await device.waitFor('inbound', 1);
    assert.deepEqual(device.texts(), ['one', 'two']);
  });

  it('while a message is being kept has not confirmed it', async () => {
    const phone = '+15551005';
    const device = new DeviceUnderTest();
    const keeping = Promise.withResolvers<void>();
    device.handlers.inbound = () => keeping.promise;
    const session = device.open(network);
    assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
    await device.waitFor('up');
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    await device.waitFor('inbound');
    // Had it been confirmed, the network would have heard of that before it answered this.
    const answer = { networkId: 'a1', to: contact, content: { kind: 'text', text: 'two' } } as const;
    await session.send(answer, new AbortController().signal);
    assert.deepEqual(await wordsOn(id), []);
    await session.close();
    keeping.resolve();
    await device.waitFor('down');
    assert.deepEqual(await wordsOn(id), []);
  });

  it('by its fence says nothing more of a message, neither yes nor no', async () => {
    const phone = '+15551003';
    const device = await linked(phone);
    device.store.fenced = true;
    const id = await fake.write({ from: contact, to: phone, text: 'one' });
    assert.equal((await device.waitFor('down')).reason, 'closed');
    assert.deepEqual(await wordsOn(id), []);
    device.store.fenced = false;
    device.open(network);
    await eventually(async () => assert.deepEqual(await wordsOn(id), ['delivered']));
    assert.deepEqual(device.texts(), ['one']);
  });

  it('for its client version says so', async () => {
    const phone = '+15551004';
    const device = await linked(phone);
    await fake.injectFault(phone, 'outdated');
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    assert.ok(problems.some((problem) => problem.includes('WHATSAPP_VERSION')));
  });

  it('by its owner while it still connects goes down once', async () => {
    const device = new DeviceUnderTest();
    const session = device.open(network);
    await session.close();
    await session.close();
    await device.waitFor('down');
    assert.deepEqual(device.events, [{ type: 'down', reason: 'closed' }]);
  });

  it('from a network that cannot be reached takes it for a lost connection', async () => {
    const { port, release } = await reservePort();
    const device = new DeviceUnderTest();
    device.open(new WhatsappNetwork({ version: null, logger }, `ws://127.0.0.1:${port}`));
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    await release();
  });
});

describe('a chat with much going on', { timeout: 60_000 }, () => {
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
    // Until each side has answered the other, the library itself may end up with two encryptions of one chat.
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

  it('does not open a message between the encryption of another and the storing of its keys', async () => {
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
    // Time enough to be opened too early.
    for (let times = 0; times < 10; times += 1) await fake.journal();
    gate.resolve();
    await sending;
    await device.waitFor('inbound', 1);
    await send('two');
    assert.deepEqual(await sent(), ['greeting', 'one', 'two']);
  });

  it('has every message on either side opened, however they cross', async () => {
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
  it('is its own, or on this machine', () => {
    const logger = { debug: () => {}, warn: () => {}, error: () => {} };
    assert.throws(() => new WhatsappNetwork({ version: null, logger }, 'wss://web.example.com/ws/chat'));
    assert.throws(() => new WhatsappNetwork({ version: 'newest', logger }));
  });
});
