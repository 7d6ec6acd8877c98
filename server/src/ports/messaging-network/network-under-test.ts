import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { DeviceUnderTest } from './device-under-test.ts';
import type { DownReason, MessagingNetwork, NetworkSession, OutboundMessage } from './messaging-network.ts';

export interface NetworkRig {
  openNetwork(): MessagingNetwork;
  scan(qr: string, phoneNumber: string): Promise<boolean>;
  write(message: { from: string; to: string; text: string }): Promise<void>;
  writeImage(message: { from: string; to: string; caption: string; bytes: Uint8Array }): Promise<void>;
  /** Reacts to the message with this id of the network. */
  react(message: { from: string; to: string; about: string; emoji: string }): Promise<void>;
  /** Returns the messages that the contact received from the linked phone, in order, duplicates included. */
  received(
    contact: string,
    device: string,
  ): Promise<{ id: string; kind: string; text: string | null; bytes: number | null }[]>;
  /** A valid number without an account. */
  unknownNumber: string;
  drop(device: string): Promise<void>;
  unlink(device: string): Promise<void>;
  ban(device: string): Promise<void>;
  /** Refuses new chats of the account. */
  restrict(device: string): Promise<void>;
  /** Closes the connection and refuses logins for this reason. */
  refuseLogins(device: string, reason: LoginRefusal): Promise<void>;
  refuseNext(device: string): Promise<void>;
  /** The network delivers the next message without acknowledging it. */
  loseNextAck(device: string): Promise<void>;
  close(): Promise<void>;
}

type LoginRefusal = Extract<DownReason, 'suspended' | 'client_outdated' | 'unavailable'>;

export const contactNumber = '+15550199';
export const noAbort = new AbortController().signal;

interface LinkedDevice {
  device: DeviceUnderTest;
  phone: string;
  session: NetworkSession;
}

export interface NetworkUnderTest {
  readonly rig: NetworkRig;
  readonly network: MessagingNetwork;
  newPhone(): string;
  pair(device: DeviceUnderTest, phone: string): Promise<NetworkSession>;
  linkedDevice(): Promise<LinkedDevice>;
  receivedTexts(phone: string): Promise<(string | null)[]>;
}

export const text = (networkId: string, words: string, to = contactNumber): OutboundMessage => ({
  networkId,
  to,
  content: { kind: 'text', text: words },
});

/** Call it within `describe`. */
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
      return (await rig.received(contactNumber, phone)).map((message) => message.text);
    },
  };
}
