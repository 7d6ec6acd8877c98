import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeviceUnderTest } from './device-under-test.ts';
import { contactNumber, type NetworkRig, noAbort, setUpNetwork, text } from './network-under-test.ts';
import { testSending } from './sending.contract.ts';

/** Every adapter must pass this suite. Each test uses its own phone. */
export function describeMessagingNetwork(name: string, createRig: () => Promise<NetworkRig>): void {
  describe(`messaging network: ${name}`, { timeout: 180_000 }, () => {
    const under = setUpNetwork(createRig);
    const { newPhone, pair, linkedDevice, receivedTexts } = under;

    it('links a device: shows a code, accepts the phone, stores credentials, comes up', async () => {
      const device = new DeviceUnderTest();
      const phone = newPhone();
      let storedBeforeAccepting = -1;
      device.handlers.paired = async () => {
        storedBeforeAccepting = device.store.size;
      };
      const session = await pair(device, phone);
      assert.deepEqual(
        device.events.map(({ type }) => type),
        ['qr', 'paired', 'up'],
      );
      assert.equal((await device.waitFor('paired')).phoneNumber, phone);
      assert.equal((await device.waitFor('up')).phoneNumber, phone);
      assert.ok((await device.waitFor('qr')).expiresAt > new Date());
      assert.equal(storedBeforeAccepting, 0);
      assert.ok(device.store.size > 0);
      await session.close();
    });

    it('reconnects from stored credentials without a code', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await device.waitFor('down');
      const again = device.open(under.network);
      assert.equal((await device.waitFor('up', 1)).phoneNumber, phone);
      assert.equal(device.all('qr').length, 1);
      await again.close();
    });

    it('unlinks and stores nothing when the pairing is refused', async () => {
      const device = new DeviceUnderTest();
      device.handlers.paired = async () => {
        throw new Error('phone in use');
      };
      device.open(under.network);
      const { text: qr } = await device.waitFor('qr');
      assert.equal(await under.rig.scan(qr, newPhone()), false);
      assert.equal((await device.waitFor('down')).reason, 'pairing_refused');
      assert.equal(device.store.size, 0);
      assert.equal(device.all('up').length, 0);
    });

    it('closes without coming up when the device gets another owner before its credentials are stored', async () => {
      const device = new DeviceUnderTest();
      device.store.fenced = true;
      device.open(under.network);
      const { text: qr } = await device.waitFor('qr');
      assert.equal(await under.rig.scan(qr, newPhone()), false);
      assert.equal((await device.waitFor('down')).reason, 'closed');
      assert.equal(device.all('up').length, 0);
    });

    it('delivers messages of a contact in the order in which they were written', async () => {
      const { device, phone, session } = await linkedDevice();
      const words = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      for (const each of words) await under.rig.write({ from: contactNumber, to: phone, text: each });
      const last = await device.waitFor('inbound', words.length - 1);
      assert.deepEqual(device.texts(), words);
      assert.equal(last.message.contactNumber, contactNumber);
      assert.equal(last.message.fromMe, false);
      assert.ok(Math.abs(last.message.sentAt.getTime() - Date.now()) < 60_000);
      await session.close();
    });

    it('delivers an image with its caption, and the structure of a reaction', async () => {
      const { device, phone, session } = await linkedDevice();
      const bytes = Buffer.from('89504e470d0a1a0a00', 'hex');
      const chat = { from: contactNumber, to: phone };
      await under.rig.writeImage({ ...chat, caption: 'look', bytes });
      const { content } = (await device.waitFor('inbound')).message;
      assert.ok(content.kind === 'image' && bytes.equals(content.bytes));
      assert.deepEqual([content.mimeType, content.caption], ['image/png', 'look']);
      await session.send(text('w1', 'hello'), noAbort);
      await under.rig.react({ ...chat, about: 'w1', emoji: '👍' });
      const reaction = (await device.waitFor('inbound', 1)).message;
      assert.deepEqual(reaction.content, { kind: 'text', text: '[reaction 👍]' });
      assert.deepEqual(reaction.details, { type: 'reaction', emoji: '👍', about: 'w1' });
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
      for (const words of ['a', 'b', 'c', 'd'])
        await under.rig.write({ from: contactNumber, to: phone, text: words });
      await device.waitFor('inbound', 3);
      assert.equal(mostRunning, 1);
      await session.close();
    });

    it('reports a message written on the linked phone as `fromMe`', async () => {
      const { device, phone, session } = await linkedDevice();
      await under.rig.write({ from: phone, to: contactNumber, text: 'I take over' });
      const { message } = await device.waitFor('inbound');
      assert.equal(message.fromMe, true);
      assert.equal(message.contactNumber, contactNumber);
      assert.deepEqual(await receivedTexts(phone), ['I take over']);
      await session.close();
    });

    it('delivers messages that were written while the device was disconnected', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await device.waitFor('down');
      for (const words of ['one', 'two', 'three'])
        await under.rig.write({ from: contactNumber, to: phone, text: words });
      const again = device.open(under.network);
      await device.waitFor('inbound', 2);
      assert.deepEqual(device.texts(), ['one', 'two', 'three']);
      await again.close();
    });

    it('goes down without confirming a message when its handler rejects; receives it and later ones again', async () => {
      const { device, phone } = await linkedDevice();
      device.handlers.inbound = async ({ content }) => {
        if (content.kind === 'text' && content.text === 'two') throw new Error('not committed');
      };
      for (const words of ['one', 'two', 'three'])
        await under.rig.write({ from: contactNumber, to: phone, text: words });
      assert.equal((await device.waitFor('down')).reason, 'connection_lost');
      device.handlers = {};
      const again = device.open(under.network);
      await under.rig.write({ from: contactNumber, to: phone, text: 'four' });
      while (device.texts().at(-1) !== 'four') await device.waitFor('inbound', device.texts().length);
      assert.deepEqual(device.texts().slice(-3), ['two', 'three', 'four']);
      assert.deepEqual(device.texts().slice(0, 2), ['one', 'two']);
      await again.close();
    });

    it('does not redeliver handled messages', async () => {
      const { device, phone, session } = await linkedDevice();
      await under.rig.write({ from: contactNumber, to: phone, text: 'one' });
      await device.waitFor('inbound');
      // The first message was confirmed before the second one was handled.
      await under.rig.write({ from: contactNumber, to: phone, text: 'two' });
      await device.waitFor('inbound', 1);
      await session.close();
      const again = device.open(under.network);
      await under.rig.write({ from: contactNumber, to: phone, text: 'three' });
      while (device.texts().at(-1) !== 'three') await device.waitFor('inbound', device.texts().length);
      assert.equal(device.texts().filter((words) => words === 'one').length, 1);
      await again.close();
    });

    testSending(under);

    it('replaces the older of two connections with the same credentials, across processes', async () => {
      const { device } = await linkedDevice();
      const elsewhere = under.rig.openNetwork();
      const newer = device.open(elsewhere);
      assert.equal((await device.waitFor('down')).reason, 'replaced');
      await device.waitFor('up', 1);
      await newer.send(text('p1', 'from the newer one'), noAbort);
      await elsewhere.close();
      assert.equal((await device.waitFor('down', 1)).reason, 'closed');
    });

    it('goes down when the phone unlinks the device, and rejects its credentials afterwards', async () => {
      const { device, phone } = await linkedDevice();
      await under.rig.unlink(phone);
      assert.equal((await device.waitFor('down')).reason, 'logged_out');
      device.open(under.network);
      assert.equal((await device.waitFor('down', 1)).reason, 'logged_out');
      assert.equal(device.all('up').length, 1);
    });

    it('unlinks itself from the phone', async () => {
      const { device, session } = await linkedDevice();
      await session.logout();
      assert.equal((await device.waitFor('down')).reason, 'closed');
      device.open(under.network);
      assert.equal((await device.waitFor('down', 1)).reason, 'logged_out');
    });

    it('rejects a logout without a connection', async () => {
      const { device, session } = await linkedDevice();
      await session.close();
      await device.waitFor('down');
      await assert.rejects(session.logout());
    });

    it('goes down for good when the network bans the account', async () => {
      const { device, phone } = await linkedDevice();
      await under.rig.ban(phone);
      assert.equal((await device.waitFor('down')).reason, 'banned');
      device.open(under.network);
      assert.equal((await device.waitFor('down', 1)).reason, 'banned');
    });

    for (const reason of ['suspended', 'client_outdated', 'unavailable'] as const) {
      it(`goes down with ${reason} and keeps the link`, async () => {
        const { device, phone } = await linkedDevice();
        await under.rig.refuseLogins(phone, reason);
        const { reason: first, until } = await device.waitFor('down');
        assert.equal(first, reason);
        assert.equal(until !== undefined && until > new Date(), reason === 'suspended');
        device.open(under.network);
        assert.equal((await device.waitFor('down', 1)).reason, reason);
        assert.equal(device.all('qr').length, 1);
      });
    }

    it('goes down once, as its last event, when it is closed twice', async () => {
      const { device, phone, session } = await linkedDevice();
      await session.close();
      await session.close();
      await under.rig.write({ from: contactNumber, to: phone, text: 'too late' });
      assert.equal((await device.waitFor('down')).reason, 'closed');
      const again = device.open(under.network);
      await device.waitFor('inbound');
      assert.deepEqual(
        device.events.map(({ type }) => type),
        ['qr', 'paired', 'up', 'down', 'up', 'inbound'],
      );
      await again.close();
    });

    it('starts no event after it was closed, and goes down after the running event', async () => {
      const { device, phone, session } = await linkedDevice();
      const running = Promise.withResolvers<void>();
      device.handlers.inbound = () => running.promise;
      await under.rig.write({ from: contactNumber, to: phone, text: 'one' });
      await under.rig.write({ from: contactNumber, to: phone, text: 'two' });
      await device.waitFor('inbound');
      // The acknowledgement arrives after the second message, which is queued by then.
      await session.send(text('q1', 'answer'), noAbort);
      await session.close();
      assert.equal(device.all('down').length, 0);
      running.resolve();
      await device.waitFor('down');
      assert.deepEqual(device.texts(), ['one']);
    });

    it('closes open sessions when the adapter is closed', async () => {
      const { device, session } = await linkedDevice();
      await session.close();
      await device.waitFor('down');
      const process = under.rig.openNetwork();
      device.open(process);
      await device.waitFor('up', 1);
      await process.close();
      assert.equal((await device.waitFor('down', 1)).reason, 'closed');
    });
  });
}
