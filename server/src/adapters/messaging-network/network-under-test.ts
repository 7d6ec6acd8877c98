import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { DeviceUnderTest } from './device-under-test.ts';
import type { MessagingNetwork, NetworkSession, OutboundMessage } from './messaging-network.ts';

/** What the suite needs of a network under test: its phones, and its faults. */
export interface NetworkRig {
  /** The adapter as one process has it; the rig does not close it. */
  openNetwork(): MessagingNetwork;
  /** Scans a code with a phone; answers whether the network linked the two. */
  scan(qr: string, phoneNumber: string): Promise<boolean>;
  /** A phone, the linked one or a contact's, writes a text. */
  write(message: { from: string; to: string; text: string }): Promise<void>;
  /** The messages that the contact's phone got from the linked one, in order, with the copies of each. */
  received(
    contact: string,
    device: string,
  ): Promise<{ id: string; kind: string; text: string | null; bytes: number | null }[]>;
  /** A number in the network's format that no account has. */
  unknownNumber: string;
  drop(device: string): Promise<void>;
  unlink(device: string): Promise<void>;
  ban(device: string): Promise<void>;
  refuseNext(device: string): Promise<void>;
  /** The next message reaches its contact, but the network does not say so. */
  loseNextAck(device: string): Promise<void>;
  close(): Promise<void>;
}

export const CONTACT = '+15550199';
export const NO_ABORT = new AbortController().signal;

interface LinkedDevice {
  device: DeviceUnderTest;
  phone: string;
  session: NetworkSession;
}

/** A network with devices and phones, from before a suite's first test until after its last. */
export interface NetworkUnderTest {
  readonly rig: NetworkRig;
  readonly network: MessagingNetwork;
  newPhone(): string;
  /** Opens a session of the device and lets the phone scan its code. */
  pair(device: DeviceUnderTest, phone: string): Promise<NetworkSession>;
  /** With a phone of its own. */
  linkedDevice(): Promise<LinkedDevice>;
  /** What `CONTACT` got from the phone. */
  receivedTexts(phone: string): Promise<(string | null)[]>;
}

export const text = (networkId: string, words: string, to = CONTACT): OutboundMessage => ({
  networkId,
  to,
  content: { kind: 'text', text: words },
});

/** To be called within `describe`. */
export function setUpNetwork(createRig: () => Promise<NetworkRig>): NetworkUnderTest {
  let rig: NetworkRig;
  let network: MessagingNetwork;
  let phones = 0;

  before(async () => {
    rig = await createRig();
    network = rig.openNetwork();
  });
  after(async () => {
    await network.close();
    await rig.close();
  });

  const newPhone = (): string => {
    phones += 1;
    return `+1555${String(phones).padStart(6, '0')}`;
  };

  const pair = async (device: DeviceUnderTest, phone: string): Promise<NetworkSession> => {
    const session = device.open(network);
    const { text: code } = await device.waitFor('qr');
    assert.equal(await rig.scan(code, phone), true);
    await device.waitFor('up');
    return session;
  };

  return {
    get rig() {
      return rig;
    },
    get network() {
      return network;
    },
    newPhone,
    pair,
    async linkedDevice() {
      const device = new DeviceUnderTest();
      const phone = newPhone();
      return { device, phone, session: await pair(device, phone) };
    },
    async receivedTexts(phone) {
      return (await rig.received(CONTACT, phone)).map((message) => message.text);
    },
  };
}
