import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MessageContent, SendOutcomeUnknown, SendRefused } from './messaging-network.ts';
import { contactNumber, type NetworkUnderTest, noAbort, text } from './network-under-test.ts';

/** Tests the `send` method of a session. */
export function testSending(under: NetworkUnderTest): void {
  const { linkedDevice, receivedTexts } = under;

  it('sends every supported kind of content and reports its acknowledgement and receipt', async () => {
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
    const sent = contents.filter(({ kind }) => under.network.supportedContent.has(kind));
    for (const content of sent) {
      await session.send({ networkId: crypto.randomUUID(), to: contactNumber, content }, noAbort);
    }
    const received = await under.rig.received(contactNumber, phone);
    assert.deepEqual(
      received.map(({ kind }) => kind),
      sent.map(({ kind }) => kind),
    );
    assert.equal(received[0]?.text, 'hello');
    for (const { kind, bytes: size } of received) assert.equal(size, kind === 'text' ? null : bytes.length);
    const receipt = await device.waitFor('receipt');
    assert.equal(receipt.networkId, received[0]?.id);
    assert.equal(receipt.state, 'delivered');
    await session.close();
  });

  it('rejects unsupported kinds of content', async () => {
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
    for (const content of contents.filter(({ kind }) => !under.network.supportedContent.has(kind))) {
      await assert.rejects(
        session.send({ networkId: crypto.randomUUID(), to: contactNumber, content }, noAbort),
        (error) => error instanceof SendRefused && error.reason === 'network_refused',
      );
    }
    assert.deepEqual(await receivedTexts(phone), []);
    await session.close();
  });

  it('reports sent messages as read when the contact answers', async () => {
    const { device, phone, session } = await linkedDevice();
    await session.send(text('s1', 'hello'), noAbort);
    await device.waitFor('receipt');
    await under.rig.write({ from: contactNumber, to: phone, text: 'hi' });
    const { networkId, state } = await device.waitFor('receipt', 1);
    assert.deepEqual({ networkId, state }, { networkId: 's1', state: 'read' });
    await session.close();
  });

  it('rejects an unknown recipient', async () => {
    const { session } = await linkedDevice();
    await assert.rejects(
      session.send(text('n1', 'hello', under.rig.unknownNumber), noAbort),
      (error) => error instanceof SendRefused && error.reason === 'recipient_unknown',
    );
    await session.close();
  });

  it('rejects a message that the network refuses, and does not deliver it', async () => {
    const { phone, session } = await linkedDevice();
    await under.rig.refuseNext(phone);
    await assert.rejects(
      session.send(text('r1', 'refused'), noAbort),
      (error) => error instanceof SendRefused && error.reason === 'network_refused',
    );
    await session.send(text('r2', 'taken'), noAbort);
    assert.deepEqual(await receivedTexts(phone), ['taken']);
    await session.close();
  });

  it('reports the restriction when the network refuses new chats, and still answers contacts who wrote', async () => {
    const { device, phone, session } = await linkedDevice();
    await under.rig.write({ from: contactNumber, to: phone, text: 'hi' });
    await device.waitFor('inbound');
    await under.rig.restrict(phone);
    for (const id of ['c1', 'c2']) {
      await assert.rejects(
        session.send(text(id, 'a new chat', '+15550198'), noAbort),
        (error) => error instanceof SendRefused && error.reason === 'device_restricted',
      );
    }
    const { restriction } = await device.waitFor('restricted');
    assert.ok(restriction !== null && restriction.until > new Date());
    assert.equal(restriction.reason, 'network_refused');
    await session.send(text('k1', 'an answer'), noAbort);
    const known = { ...text('k2', 'to a known contact'), toKnownContact: true };
    await session.send(known, noAbort);
    assert.deepEqual((await receivedTexts(phone)).slice(-2), ['an answer', 'to a known contact']);
    await session.close();
  });

  it('reports an aborted send as unknown, and delivers a retried message once', async () => {
    const { phone, session } = await linkedDevice();
    await under.rig.loseNextAck(phone);
    const timeout = new AbortController();
    const sending = session.send(text('u1', 'once'), timeout.signal);
    while ((await receivedTexts(phone)).length === 0) await new Promise(setImmediate);
    timeout.abort();
    await assert.rejects(sending, SendOutcomeUnknown);
    await session.send(text('u1', 'once'), noAbort);
    assert.deepEqual(await receivedTexts(phone), ['once']);
    await session.close();
  });

  it('reports a send as unknown when the connection breaks', async () => {
    const { device, phone, session } = await linkedDevice();
    await under.rig.loseNextAck(phone);
    const sending = session.send(text('b1', 'once'), noAbort);
    const outcome = assert.rejects(sending, SendOutcomeUnknown);
    while ((await receivedTexts(phone)).length === 0) await new Promise(setImmediate);
    await under.rig.drop(phone);
    await outcome;
    assert.equal((await device.waitFor('down')).reason, 'connection_lost');
    await assert.rejects(session.send(text('b2', 'late'), noAbort), SendOutcomeUnknown);
    const again = device.open(under.network);
    await device.waitFor('up', 1);
    await again.send(text('b1', 'once'), noAbort);
    assert.deepEqual(await receivedTexts(phone), ['once']);
    await again.close();
  });
}
