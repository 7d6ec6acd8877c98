import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeviceUnderTest } from './device-under-test.ts';
import {
  type MessageContent,
  type MessagingNetwork,
  type NetworkSession,
  SendOutcomeUnknown,
  SendRefused,
} from './messaging-network.ts';

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
  nobody: string;
  drop(device: string): Promise<void>;
  unlink(device: string): Promise<void>;
  ban(device: string): Promise<void>;
  refuseNext(device: string): Promise<void>;
  /** The next message reaches its contact, but the network does not say so. */
  loseNextAck(device: string): Promise<void>;
  close(): Promise<void>;
}

const CONTACT = '+15550199';
const NO_ABORT = new AbortController().signal;

/** The suite that every adapter must pass. Each test has a phone of its own. */
export function describeMessagingNetwork(name: string, createRig: () => Promise<NetworkRig>): void {
  describe(`messaging network: ${name}`, { timeout: 60_000 }, () => {
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

    function newPhone(): string {
      phones += 1;
      return `+1555${String(phones).padStart(6, '0')}`;
    }

    async function pair(device: DeviceUnderTest, phone: string): Promise<NetworkSession> {
      const session = device.open(network);
      const { text } = await device.report('qr');
      assert.equal(await rig.scan(text, phone), true);
      await device.report('up');
      return session;
    }

    async function linkedDevice(): Promise<{
      device: DeviceUnderTest;
      phone: string;
      session: NetworkSession;
    }> {
      const device = new DeviceUnderTest();
      const phone = newPhone();
      return { device, phone, session: await pair(device, phone) };
    }

    function text(networkId: string, words: string, to = CONTACT) {
      return { networkId, to, content: { kind: 'text', text: words } satisfies MessageContent };
    }

    async function receivedTexts(phone: string): Promise<(string | null)[]> {
      return (await rig.received(CONTACT, phone)).map((message) => message.text);
    }

    it('links a device: a code, the phone that scanned it, the credentials stored, up', async () => {
      const device = new DeviceUnderTest();
      const phone = newPhone();
      let storedBeforeAccepting = -1;
      device.handlers.paired = async () => {
        storedBeforeAccepting = device.store.size;
      };
      const session = await pair(device, phone);
      assert.deepEqual(
        device.recorded.map(({ type }) => type),
        ['qr', 'paired', 'up'],
      );
      assert.equal((await device.report('paired')).phoneNumber, phone);
      assert.equal((await device.report('up')).phoneNumber, phone);
      assert.ok((await device.report('qr')).expiresAt > new Date());
      assert.equal(storedBeforeAccepting, 0);
      assert.ok(device.store.size > 0);
      await session.close();
    });

    it('comes up again from stored credentials without a code', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await device.report('down');
      const again = device.open(network);
      assert.equal((await device.report('up', 1)).phoneNumber, phone);
      assert.equal(device.all('qr').length, 1);
      await again.close();
    });

    it('unlinks and stores nothing when the pairing is refused', async () => {
      const device = new DeviceUnderTest();
      device.handlers.paired = async () => {
        throw new Error('phone in use');
      };
      device.open(network);
      const { text: qr } = await device.report('qr');
      assert.equal(await rig.scan(qr, newPhone()), false);
      assert.equal((await device.report('down')).reason, 'pairing_refused');
      assert.equal(device.store.size, 0);
      assert.equal(device.all('up').length, 0);
    });

    it('does not come up, and ends, when another owns the device by the time its credentials are stored', async () => {
      const device = new DeviceUnderTest();
      device.store.fenced = true;
      device.open(network);
      const { text: qr } = await device.report('qr');
      assert.equal(await rig.scan(qr, newPhone()), false);
      assert.equal((await device.report('down')).reason, 'closed');
      assert.equal(device.all('up').length, 0);
    });

    it('hands over messages of a contact in the order in which they were written', async () => {
      const { device, phone, session } = await linkedDevice();
      const words = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      for (const each of words) await rig.write({ from: CONTACT, to: phone, text: each });
      const last = await device.report('inbound', words.length - 1);
      assert.deepEqual(device.texts(), words);
      assert.equal(last.message.contactNumber, CONTACT);
      assert.equal(last.message.fromMe, false);
      assert.ok(Math.abs(last.message.sentAt.getTime() - Date.now()) < 60_000);
      await session.close();
    });

    it('handles one event of a session at a time', async () => {
      const { device, phone, session } = await linkedDevice();
      let running = 0;
      let mostRunning = 0;
      device.handlers.inbound = async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await new Promise(setImmediate);
        running -= 1;
      };
      for (const words of ['a', 'b', 'c', 'd']) await rig.write({ from: CONTACT, to: phone, text: words });
      await device.report('inbound', 3);
      assert.equal(mostRunning, 1);
      await session.close();
    });

    it('reports what a person writes on the linked phone as their own message', async () => {
      const { device, phone, session } = await linkedDevice();
      await rig.write({ from: phone, to: CONTACT, text: 'I take over' });
      const { message } = await device.report('inbound');
      assert.equal(message.fromMe, true);
      assert.equal(message.contactNumber, CONTACT);
      assert.deepEqual(await receivedTexts(phone), ['I take over']);
      await session.close();
    });

    it('delivers what was written while the device was away', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await device.report('down');
      for (const words of ['one', 'two', 'three']) await rig.write({ from: CONTACT, to: phone, text: words });
      const again = device.open(network);
      await device.report('inbound', 2);
      assert.deepEqual(device.texts(), ['one', 'two', 'three']);
      await again.close();
    });

    it('goes down without confirming a message whose handler rejects, and gets it and those after it again', async () => {
      const { device, phone } = await linkedDevice();
      device.handlers.inbound = async ({ content }) => {
        if (content.kind === 'text' && content.text === 'two') throw new Error('not committed');
      };
      for (const words of ['one', 'two', 'three']) await rig.write({ from: CONTACT, to: phone, text: words });
      assert.equal((await device.report('down')).reason, 'connection_lost');
      device.handlers = {};
      const again = device.open(network);
      await rig.write({ from: CONTACT, to: phone, text: 'four' });
      while (device.texts().at(-1) !== 'four') await device.report('inbound', device.texts().length);
      assert.deepEqual(device.texts().slice(-3), ['two', 'three', 'four']);
      assert.deepEqual(device.texts().slice(0, 2), ['one', 'two']);
      await again.close();
    });

    it('delivers nothing again that was handled', async () => {
      const { device, phone, session } = await linkedDevice();
      await rig.write({ from: CONTACT, to: phone, text: 'one' });
      await device.report('inbound');
      // A second message handled means that the first one was confirmed before it.
      await rig.write({ from: CONTACT, to: phone, text: 'two' });
      await device.report('inbound', 1);
      await session.close();
      const again = device.open(network);
      await rig.write({ from: CONTACT, to: phone, text: 'three' });
      while (device.texts().at(-1) !== 'three') await device.report('inbound', device.texts().length);
      assert.equal(device.texts().filter((words) => words === 'one').length, 1);
      await again.close();
    });

    it('sends every kind of content that it says it sends, acknowledged and followed by a receipt', async () => {
      const { device, phone, session } = await linkedDevice();
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
      const contents: MessageContent[] = [
        { kind: 'text', text: 'hello' },
        { kind: 'image', mimeType: 'image/png', bytes, caption: 'a picture' },
        {
          kind: 'voice',
          mimeType: 'audio/ogg; codecs=opus',
          bytes,
          seconds: 3,
          waveform: new Uint8Array(64),
        },
        { kind: 'document', mimeType: 'application/pdf', bytes, fileName: 'a.pdf', caption: '' },
      ];
      const sent = contents.filter(({ kind }) => network.sends.has(kind));
      for (const content of sent) {
        await session.send({ networkId: crypto.randomUUID(), to: CONTACT, content }, NO_ABORT);
      }
      const received = await rig.received(CONTACT, phone);
      assert.deepEqual(
        received.map(({ kind }) => kind),
        sent.map(({ kind }) => kind),
      );
      assert.equal(received[0]?.text, 'hello');
      for (const { kind, bytes: size } of received) assert.equal(size, kind === 'text' ? null : bytes.length);
      const receipt = await device.report('receipt');
      assert.equal(receipt.networkId, received[0]?.id);
      assert.equal(receipt.state, 'delivered');
      await session.close();
    });

    it('refuses the kinds of content that it does not send', async () => {
      const { phone, session } = await linkedDevice();
      const bytes = Buffer.from([1, 2, 3]);
      const contents: MessageContent[] = [
        { kind: 'image', mimeType: 'image/png', bytes, caption: '' },
        {
          kind: 'voice',
          mimeType: 'audio/ogg; codecs=opus',
          bytes,
          seconds: 1,
          waveform: new Uint8Array(64),
        },
        { kind: 'document', mimeType: 'application/pdf', bytes, fileName: 'a.pdf', caption: '' },
      ];
      for (const content of contents.filter(({ kind }) => !network.sends.has(kind))) {
        await assert.rejects(
          session.send({ networkId: crypto.randomUUID(), to: CONTACT, content }, NO_ABORT),
          (error) => error instanceof SendRefused && error.reason === 'network_refused',
        );
      }
      assert.deepEqual(await receivedTexts(phone), []);
      await session.close();
    });

    it('reports that the contact, who answers, has read what was sent', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.send(text('s1', 'hello'), NO_ABORT);
      await device.report('receipt');
      await rig.write({ from: CONTACT, to: phone, text: 'hi' });
      const { networkId, state } = await device.report('receipt', 1);
      assert.deepEqual({ networkId, state }, { networkId: 's1', state: 'read' });
      await session.close();
    });

    it('says that the recipient is unknown', async () => {
      const { session } = await linkedDevice();
      await assert.rejects(
        session.send(text('n1', 'hello', rig.nobody), NO_ABORT),
        (error) => error instanceof SendRefused && error.reason === 'recipient_unknown',
      );
      await session.close();
    });

    it('says that the network refused the message, which then reaches nobody', async () => {
      const { phone, session } = await linkedDevice();
      await rig.refuseNext(phone);
      await assert.rejects(
        session.send(text('r1', 'refused'), NO_ABORT),
        (error) => error instanceof SendRefused && error.reason === 'network_refused',
      );
      await session.send(text('r2', 'taken'), NO_ABORT);
      assert.deepEqual(await receivedTexts(phone), ['taken']);
      await session.close();
    });

    it('does not know the outcome of a send that was aborted; sent again it is one message', async () => {
      const { phone, session } = await linkedDevice();
      await rig.loseNextAck(phone);
      const patience = new AbortController();
      const sending = session.send(text('u1', 'once'), patience.signal);
      while ((await receivedTexts(phone)).length === 0) await new Promise(setImmediate);
      patience.abort();
      await assert.rejects(sending, SendOutcomeUnknown);
      await session.send(text('u1', 'once'), NO_ABORT);
      assert.deepEqual(await receivedTexts(phone), ['once']);
      await session.close();
    });

    it('does not know the outcome of a send when the connection breaks', async () => {
      const { device, phone, session } = await linkedDevice();
      await rig.loseNextAck(phone);
      const sending = session.send(text('b1', 'once'), NO_ABORT);
      const outcome = assert.rejects(sending, SendOutcomeUnknown);
      while ((await receivedTexts(phone)).length === 0) await new Promise(setImmediate);
      await rig.drop(phone);
      await outcome;
      assert.equal((await device.report('down')).reason, 'connection_lost');
      await assert.rejects(session.send(text('b2', 'late'), NO_ABORT), SendOutcomeUnknown);
      const again = device.open(network);
      await device.report('up', 1);
      await again.send(text('b1', 'once'), NO_ABORT);
      assert.deepEqual(await receivedTexts(phone), ['once']);
      await again.close();
    });

    it('replaces the older of two connections on the same credentials, also from another process', async () => {
      const { device } = await linkedDevice();
      const elsewhere = rig.openNetwork();
      const newer = device.open(elsewhere);
      assert.equal((await device.report('down')).reason, 'replaced');
      await device.report('up', 1);
      await newer.send(text('p1', 'from the newer one'), NO_ABORT);
      await elsewhere.close();
      assert.equal((await device.report('down', 1)).reason, 'closed');
    });

    it('goes down when the phone unlinks the device, and its credentials are void', async () => {
      const { device, phone } = await linkedDevice();
      await rig.unlink(phone);
      assert.equal((await device.report('down')).reason, 'logged_out');
      device.open(network);
      assert.equal((await device.report('down', 1)).reason, 'logged_out');
      assert.equal(device.all('up').length, 1);
    });

    it('unlinks itself from the phone', async () => {
      const { device, session } = await linkedDevice();
      await session.logout();
      assert.equal((await device.report('down')).reason, 'closed');
      device.open(network);
      assert.equal((await device.report('down', 1)).reason, 'logged_out');
    });

    it('cannot unlink without a connection', async () => {
      const { device, session } = await linkedDevice();
      await session.close();
      await device.report('down');
      await assert.rejects(session.logout());
    });

    it('goes down for good when the network bans the account', async () => {
      const { device, phone } = await linkedDevice();
      await rig.ban(phone);
      assert.equal((await device.report('down')).reason, 'banned');
      device.open(network);
      assert.equal((await device.report('down', 1)).reason, 'banned');
    });

    it('goes down once, with nothing after it, however often it is closed', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await session.close();
      await rig.write({ from: CONTACT, to: phone, text: 'too late' });
      assert.equal((await device.report('down')).reason, 'closed');
      const again = device.open(network);
      await device.report('inbound');
      assert.deepEqual(
        device.recorded.map(({ type }) => type),
        ['qr', 'paired', 'up', 'down', 'up', 'inbound'],
      );
      await again.close();
    });

    it('begins no event after it was closed, and goes down only when the running one is done', async () => {
      const { device, phone, session } = await linkedDevice();
      const running = Promise.withResolvers<void>();
      device.handlers.inbound = () => running.promise;
      await rig.write({ from: CONTACT, to: phone, text: 'one' });
      await rig.write({ from: CONTACT, to: phone, text: 'two' });
      await device.report('inbound');
      // The acknowledgement comes after the second message, which then waits its turn here.
      await session.send(text('q1', 'answer'), NO_ABORT);
      await session.close();
      assert.equal(device.all('down').length, 0);
      running.resolve();
      await device.report('down');
      assert.deepEqual(device.texts(), ['one']);
    });

    it('closes the sessions that are still open when the adapter is closed', async () => {
      const { device, session } = await linkedDevice();
      await session.close();
      await device.report('down');
      const process = rig.openNetwork();
      device.open(process);
      await device.report('up', 1);
      await process.close();
      assert.equal((await device.report('down', 1)).reason, 'closed');
    });
  });
}
