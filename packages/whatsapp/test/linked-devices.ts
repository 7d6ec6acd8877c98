import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import type {
  MessageContent,
  NetworkSession,
} from '../../../server/src/ports/messaging-network/messaging-network.ts';
import { WhatsappNetwork, type WhatsappOptions } from '../src/whatsapp.ts';
import type { JournalEntry } from './fake-network/journal.ts';
import { type FakeProcess, startFakeProcess } from './fake-process.ts';

/** A device on the fake network, with its consecutive sessions. */
interface LinkedDevice {
  device: DeviceUnderTest;
  phone: string;
  /** Sends and remembers the content, like an outbox. */
  send(networkId: string, to: string, content?: MessageContent): Promise<void>;
  /** Closes the session and opens the next one. */
  restart(): Promise<void>;
  session(): NetworkSession;
}

interface LinkedDevices {
  readonly fake: FakeProcess;
  readonly network: WhatsappNetwork;
  link(phone: string): Promise<LinkedDevice>;
  /** Journal entries of this type about a message or a device. */
  entries<Type extends JournalEntry['type']>(
    type: Type,
    about: string,
  ): Promise<Extract<JournalEntry, { type: Type }>[]>;
}

const silent = { debug: () => {}, warn: () => {}, error: () => {} };

/** Call it within `describe`. */
export function setUpDevices(options: Partial<WhatsappOptions> = {}): LinkedDevices {
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  before(async () => {
    fake = await startFakeProcess();
    setDefaultCACertificates([...getCACertificates(), fake.certificate]);
    network = new WhatsappNetwork({ version: null, logger: silent, ...options }, fake.url);
  });
  after(async () => {
    await network.close();
    await fake.close();
  });
  return {
    get fake() {
      return fake;
    },
    get network() {
      return network;
    },
    link: (phone) => linkDevice(fake, network, phone),
    async entries(type, about) {
      const found = (await fake.journal()).filter(
        (entry) => entry.type === type && Object.values(entry).includes(about),
      );
      // Filtered by type.
      return found as Extract<JournalEntry, { type: typeof type }>[];
    },
  };
}

async function linkDevice(fake: FakeProcess, network: WhatsappNetwork, phone: string): Promise<LinkedDevice> {
  const device = new DeviceUnderTest();
  let session = device.open(network);
  assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
  await device.waitFor('up');
  return {
    device,
    phone,
    session: () => session,
    send: async (networkId, to, content = { kind: 'text', text: networkId }) => {
      device.sent.set(networkId, content);
      await session.send({ networkId, to, content }, AbortSignal.timeout(30_000));
    },
    restart: async () => {
      const [ups, downs] = [device.all('up').length, device.all('down').length];
      await session.close();
      await device.waitFor('down', Math.min(downs, ups - 1));
      session = device.open(network);
      await device.waitFor('up', ups);
    },
  };
}
