import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode, proto } from 'baileys';
import { MemoryContacts } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { readInboundMessage } from './inbound-message.ts';

const me = { id: '15550100:3@s.whatsapp.net', lid: '900:3@lid' };

const inbound = (
  attrs: BinaryNode['attrs'],
  message: proto.IMessage = { conversation: 'hello' },
  number: string | null = null,
) =>
  readInboundMessage({ tag: 'message', attrs: { id: '3EB0AA', t: '1700000000', ...attrs } }, message, {
    me,
    state: { read: async () => undefined },
    getNumber: async () => number,
    identify: (contact) => new MemoryContacts().identify(contact),
  });

test('identifies a contact by number, from a number address, a LID stanza or the LID mapping', async () => {
  const byNumber = await inbound({ from: '15550199@s.whatsapp.net' });
  assert.deepEqual(byNumber, {
    networkId: '3EB0AA',
    contactNumber: '+15550199',
    fromMe: false,
    sentAt: new Date(1_700_000_000_000),
    content: { kind: 'text', text: 'hello' },
    address: '15550199@s.whatsapp.net',
  });
  const fromStanza = await inbound({ from: '901:2@lid', sender_pn: '15550199:2@s.whatsapp.net' });
  assert.equal(fromStanza?.contactNumber, '+15550199');
  const fromMapping = await inbound({ from: '901@lid' }, undefined, '15550199:0@s.whatsapp.net');
  assert.equal(fromMapping?.contactNumber, '+15550199');
});

test('passes on how a contact calls itself, but not the name of the own account', async () => {
  const written = await inbound({ from: '901@lid', notify: 'Ines' });
  assert.equal(written?.contactName, 'Ines');
  const own = await inbound({ from: '900@lid', recipient: '901@lid', notify: 'Harbour Rentals' });
  assert.deepEqual([own?.fromMe, own?.contactName], [true, undefined]);
});

test('identifies a contact without a number by its LID', async () => {
  assert.equal((await inbound({ from: '901@lid' }))?.contactNumber, 'lid:901');
});

test('assigns a message of the linked phone to the chat of its recipient', async () => {
  const attrs = { from: '900@lid', recipient: '901@lid', sender_pn: '15550100@s.whatsapp.net' };
  const message = await inbound(
    { ...attrs, peer_recipient_pn: '15550199@s.whatsapp.net' },
    { deviceSentMessage: { message: { conversation: 'mine' } } },
  );
  assert.deepEqual([message?.fromMe, message?.contactNumber], [true, '+15550199']);
});

test('skips groups, channels, status and the own chat', async () => {
  assert.equal(await inbound({ from: '123@g.us', participant: '15550199@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: 'status@broadcast', participant: '15550199@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: '123@newsletter' }), null);
  assert.equal(await inbound({ from: '15550100@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: '900@lid', recipient: '900@lid' }), null);
});

test('shows other content as its caption or kind, and skips messages without content', async () => {
  const textOf = async (message: proto.IMessage) => {
    const content = (await inbound({ from: '15550199@s.whatsapp.net' }, message))?.content;
    return content?.kind === 'text' ? content.text : null;
  };
  assert.equal(await textOf({ extendedTextMessage: { text: 'a link' } }), 'a link');
  assert.equal(await textOf({ imageMessage: { caption: 'our bicycle' } }), 'our bicycle');
  assert.equal(await textOf({ imageMessage: {} }), '[image]');
  assert.equal(await textOf({ audioMessage: { ptt: true } }), '[voice note]');
  assert.equal(await textOf({ ephemeralMessage: { message: { conversation: 'soon gone' } } }), 'soon gone');
  assert.equal(await textOf({ reactionMessage: { text: '👍' } }), '[reaction 👍]');
  assert.equal(await textOf({ protocolMessage: {} }), null);
});

test('replaces an invalid id or time, so that the message can be stored', async () => {
  const from = '15550199@s.whatsapp.net';
  const invalid = await inbound({ from, id: `\0${'x'.repeat(5000)}`, t: '99999999999999' });
  assert.match(invalid?.networkId ?? '', /^[\w-]{43}$/);
  assert.ok(Math.abs((invalid?.sentAt.getTime() ?? 0) - Date.now()) < 60_000);
  assert.equal((await inbound({ from, t: 'never' }))?.sentAt instanceof Date, true);
});
