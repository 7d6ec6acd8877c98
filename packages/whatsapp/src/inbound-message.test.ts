import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode, proto } from 'baileys';
import { readInboundMessage } from './inbound-message.ts';

const me = { id: '15550100:3@s.whatsapp.net', lid: '900:3@lid' };
const warnings: string[] = [];

const inbound = (
  attrs: BinaryNode['attrs'],
  message: proto.IMessage = { conversation: 'hello' },
  number: string | null = null,
) =>
  readInboundMessage({ tag: 'message', attrs: { id: '3EB0AA', t: '1700000000', ...attrs } }, message, {
    me,
    getNumber: async () => number,
    warn: (why) => void warnings.push(why),
  });

test('a contact goes by number, however the network addresses it', async () => {
  const byNumber = await inbound({ from: '15550199@s.whatsapp.net' });
  assert.deepEqual(byNumber, {
    networkId: '3EB0AA',
    contactNumber: '+15550199',
    fromMe: false,
    sentAt: new Date(1_700_000_000_000),
    content: { kind: 'text', text: 'hello' },
  });
  const told = await inbound({ from: '901:2@lid', sender_pn: '15550199:2@s.whatsapp.net' });
  assert.equal(told?.contactNumber, '+15550199');
  const known = await inbound({ from: '901@lid' }, undefined, '15550199:0@s.whatsapp.net');
  assert.equal(known?.contactNumber, '+15550199');
});

test('a contact whose number nobody tells is left out, and the log says so', async () => {
  assert.equal(await inbound({ from: '901@lid' }), null);
  assert.equal(warnings.length, 1);
});

test('what the phone sent itself is of the chat it was sent to', async () => {
  const attrs = { from: '900@lid', recipient: '901@lid', sender_pn: '15550100@s.whatsapp.net' };
  const message = await inbound(
    { ...attrs, peer_recipient_pn: '15550199@s.whatsapp.net' },
    { deviceSentMessage: { message: { conversation: 'mine' } } },
  );
  assert.deepEqual([message?.fromMe, message?.contactNumber], [true, '+15550199']);
});

test('groups, channels, status and the chat with oneself are left out', async () => {
  assert.equal(await inbound({ from: '123@g.us', participant: '15550199@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: 'status@broadcast', participant: '15550199@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: '123@newsletter' }), null);
  assert.equal(await inbound({ from: '15550100@s.whatsapp.net' }), null);
  assert.equal(await inbound({ from: '900@lid', recipient: '900@lid' }), null);
});

test('content that is no text shows its caption or its kind; what has no content is left out', async () => {
  const textOf = async (message: proto.IMessage) => {
    const content = (await inbound({ from: '15550199@s.whatsapp.net' }, message))?.content;
    return content?.kind === 'text' ? content.text : null;
  };
  assert.equal(await textOf({ extendedTextMessage: { text: 'a link' } }), 'a link');
  assert.equal(await textOf({ imageMessage: { caption: 'our bicycle' } }), 'our bicycle');
  assert.equal(await textOf({ imageMessage: {} }), '[image]');
  assert.equal(await textOf({ audioMessage: { ptt: true } }), '[voice note]');
  assert.equal(await textOf({ ephemeralMessage: { message: { conversation: 'soon gone' } } }), 'soon gone');
  assert.equal(await textOf({ reactionMessage: { text: '👍' } }), null);
  assert.equal(await textOf({ protocolMessage: {} }), null);
});

test('ids and times of any kind make a message that can be kept', async () => {
  const from = '15550199@s.whatsapp.net';
  const odd = await inbound({ from, id: `\0${'x'.repeat(5000)}`, t: '99999999999999' });
  assert.match(odd?.networkId ?? '', /^[\w-]{43}$/);
  assert.ok(Math.abs((odd?.sentAt.getTime() ?? 0) - Date.now()) < 60_000);
  assert.equal((await inbound({ from, t: 'never' }))?.sentAt instanceof Date, true);
});
