import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeviceUnderTest } from './device-under-test.ts';
import {
  type MessagingNetwork,
  type NetworkSession,
  NotOwner,
  type ReceivedEvent,
  SendPostponed,
} from './messaging-network.ts';
import { noAbort, text } from './network-under-test.ts';

/** A network that pushes its events. The inbox stores them, and the pool gives them to the session in their order. */
export interface PushedNetworkRig {
  openNetwork(): MessagingNetwork;
  /** What a device needs before it connects. */
  prepare?(device: DeviceUnderTest): Promise<void>;
  contact: string;
  /** Of the account of a device. Default: null. */
  phoneNumber?: string;
  /** What the network pushes when the contact writes. The numbers rise. */
  write(number: number, words: string): ReceivedEvent;
  /** With the bytes that the session delivers. */
  writeImage(number: number, caption: string): { event: ReceivedEvent; bytes: Uint8Array };
  /** Null: the network reports no receipts. */
  receipt: ((networkId: string, state: 'delivered' | 'read') => ReceivedEvent) | null;
  close?(): Promise<void>;
}

/** Every adapter of a network that pushes its events must pass this suite. */
export function describePushedNetwork(name: string, createRig: () => Promise<PushedNetworkRig>): void {
  describe(`pushed messaging network: ${name}`, { timeout: 180_000 }, () => {
    let rig: PushedNetworkRig;
    let network: MessagingNetwork;
    before(async () => {
      rig = await createRig();
      network = rig.openNetwork();
    });
    after(async () => {
      await network.close();
      await rig.close?.();
    });

    const openDevice = async () => {
      const device = new DeviceUnderTest();
      await rig.prepare?.(device);
      const session = await reopen(device);
      return { device, session };
    };
    const reopen = async (device: DeviceUnderTest, on = network): Promise<NetworkSession> => {
      const ups = device.all('up').length;
      const session = device.open(on);
      await device.waitFor('up', ups);
      return session;
    };
    const receive = (session: NetworkSession, event: ReceivedEvent) => {
      assert.ok(session.receive !== undefined, 'the session takes pushed events');
      return session.receive(event);
    };

    it('comes up without a code', async () => {
      const { device, session } = await openDevice();
      assert.deepEqual(
        device.events.map(({ type }) => type),
        ['up'],
      );
      assert.equal((await device.waitFor('up')).phoneNumber, rig.phoneNumber ?? null);
      await session.close();
    });

    it('delivers what a contact writes in the order of the pushes', async () => {
      const { device, session } = await openDevice();
      const words = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      for (const [index, each] of words.entries()) await receive(session, rig.write(index, each));
      assert.deepEqual(device.texts(), words);
      const { message } = await device.waitFor('inbound');
      assert.deepEqual([message.contactNumber, message.fromMe], [rig.contact, false]);
      assert.ok(Math.abs(message.sentAt.getTime() - Date.now()) < 60_000);
      const ids = new Set(device.all('inbound').map((event) => event.message.networkId));
      assert.equal(ids.size, words.length);
      await session.close();
    });

    it('delivers an image with its bytes and its caption', async () => {
      const { device, session } = await openDevice();
      const { event, bytes } = rig.writeImage(1, 'look');
      await receive(session, event);
      const { content } = (await device.waitFor('inbound')).message;
      assert.ok(content.kind === 'image' && Buffer.from(bytes).equals(content.bytes));
      assert.equal(content.caption, 'look');
      await session.close();
    });

    it('gives a repeated push the same id', async () => {
      const { device, session } = await openDevice();
      const event = rig.write(7, 'once');
      await receive(session, event);
      await session.close();
      await receive(await reopen(device), event);
      const [first, second] = device.all('inbound');
      assert.equal(first?.message.networkId, second?.message.networkId);
    });

    it('handles one event at a time, although several are given at once', async () => {
      const { device, session } = await openDevice();
      let running = 0;
      let mostRunning = 0;
      device.handlers.inbound = async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await new Promise(setImmediate);
        running -= 1;
      };
      const words = ['a', 'b', 'c', 'd'];
      await Promise.all(words.map((each, index) => receive(session, rig.write(index, each))));
      assert.deepEqual([mostRunning, device.texts()], [1, words]);
      await session.close();
    });

    it('rejects an event whose handler rejects, goes down, and takes it again in another session', async () => {
      const { device, session } = await openDevice();
      device.handlers.inbound = async ({ content }) => {
        if (content.kind === 'text' && content.text === 'two') throw new Error('not committed');
      };
      const events = ['one', 'two', 'three'].map((each, index) => rig.write(index, each));
      const results = await Promise.allSettled(events.map((event) => receive(session, event)));
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected'],
      );
      assert.equal((await device.waitFor('down')).reason, 'connection_lost');
      device.handlers = {};
      const again = await reopen(device);
      for (const event of events.slice(1)) await receive(again, event);
      assert.deepEqual(device.texts(), ['one', 'two', 'two', 'three']);
      await again.close();
    });

    it('closes when the device has another owner', async () => {
      const { device, session } = await openDevice();
      device.handlers.inbound = () => Promise.reject(new NotOwner('device'));
      await assert.rejects(receive(session, rig.write(1, 'hello')), NotOwner);
      assert.equal((await device.waitFor('down')).reason, 'closed');
    });

    it('closes without coming up when the device got another owner before', async () => {
      const device = new DeviceUnderTest();
      await rig.prepare?.(device);
      device.handlers.up = () => Promise.reject(new NotOwner('device'));
      const session = device.open(network);
      assert.equal((await device.waitFor('down')).reason, 'closed');
      await assert.rejects(session.send(text('s1', 'hello', rig.contact), noAbort), SendPostponed);
    });

    it('reports receipts that arrive late, early and twice, for the pool to order', async (t) => {
      const { device, session } = await openDevice();
      const { receipt } = rig;
      if (receipt === null) return t.skip('the network reports none');
      const states = ['read', 'delivered', 'read'] as const;
      for (const state of states) await receive(session, receipt('ID-1', state));
      assert.deepEqual(
        device.all('receipt').map(({ networkId, state }) => [networkId, state]),
        states.map((state) => ['ID-1', state]),
      );
      await session.close();
    });

    it('sends while events arrive, and does not wait for them', async () => {
      const { device, session } = await openDevice();
      const handling = Promise.withResolvers<void>();
      device.handlers.inbound = () => handling.promise;
      const received = receive(session, rig.write(1, 'hello'));
      await device.waitFor('inbound');
      await session.send(text('s2', 'crossing', rig.contact), noAbort);
      handling.resolve();
      await received;
      await session.close();
    });

    it('sends nothing once it is closed or aborted, and leaves the message to a later attempt', async () => {
      const { session } = await openDevice();
      const message = text('s3', 'too late', rig.contact);
      await assert.rejects(session.send(message, AbortSignal.abort()), SendPostponed);
      await session.close();
      await assert.rejects(session.send(message, noAbort), SendPostponed);
    });

    it('goes down once, as its last event, when it is closed twice', async () => {
      const { device, session } = await openDevice();
      await session.close();
      await session.close();
      await assert.rejects(receive(session, rig.write(1, 'too late')));
      assert.deepEqual(
        device.events.map(({ type }) => type),
        ['up', 'down'],
      );
      assert.equal((await device.waitFor('down')).reason, 'closed');
    });

    it('starts no event after it was closed, and goes down after the running event', async () => {
      const { device, session } = await openDevice();
      const running = Promise.withResolvers<void>();
      device.handlers.inbound = () => running.promise;
      const received = [rig.write(1, 'one'), rig.write(2, 'two')].map((event) => receive(session, event));
      const settled = Promise.allSettled(received);
      await device.waitFor('inbound');
      const closed = session.close();
      assert.equal(device.all('down').length, 0);
      running.resolve();
      await Promise.all([closed, settled]);
      assert.equal((await device.waitFor('down')).reason, 'closed');
      assert.deepEqual(device.texts(), ['one']);
    });

    it('closes open sessions when the adapter is closed', async () => {
      const elsewhere = rig.openNetwork();
      const device = new DeviceUnderTest();
      await rig.prepare?.(device);
      await reopen(device, elsewhere);
      await elsewhere.close();
      assert.equal((await device.waitFor('down')).reason, 'closed');
    });

    it('goes down after a logout', async () => {
      const { device, session } = await openDevice();
      await session.logout();
      assert.equal((await device.waitFor('down')).reason, 'closed');
    });
  });
}
