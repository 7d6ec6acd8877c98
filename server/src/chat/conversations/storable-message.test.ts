import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../platform/shared/ids.ts';
import type { InboundMessage, MessageContent } from '../../ports/messaging-network/messaging-network.ts';
import { toStorableMessage } from './storable-message.ts';

const message = (fields: Partial<InboundMessage> = {}): InboundMessage => ({
  networkId: newId(),
  contactNumber: '+15550199',
  fromMe: false,
  sentAt: new Date(),
  content: { kind: 'text', text: 'hello' },
  ...fields,
});

const contentOf = (content: MessageContent): MessageContent =>
  toStorableMessage(message({ content })).content;
const voice = { kind: 'voice', mimeType: 'audio/ogg; codecs=opus', bytes: Buffer.of(1) } as const;

test('keeps an ordinary message of any kind unchanged', () => {
  const media = { mimeType: 'image/png', bytes: Buffer.of(1, 2), caption: 'Ein Rad für 5 €, 😀' };
  const contents: MessageContent[] = [
    { kind: 'text', text: 'c\u202e\n😀' },
    { kind: 'image', ...media },
    { kind: 'document', ...media, fileName: 'Räder.pdf' },
    { ...voice, seconds: 12, waveform: new Uint8Array(64) },
  ];
  for (const content of contents) {
    const fields = { contactName: 'Inés 🚲', fromMe: true, sentAt: new Date('2020-02-02T02:02:02Z') };
    const ordinary = message({ content, ...fields });
    assert.deepEqual(toStorableMessage(ordinary), ordinary);
  }
});

test('removes unstorable characters and cuts after 65,536 without splitting one', () => {
  assert.deepEqual(contentOf({ kind: 'text', text: 'a\0b \ud83d c' }), { kind: 'text', text: 'ab \ufffd c' });
  const faces = contentOf({ kind: 'text', text: `x${'😀'.repeat(70_000)}` });
  assert.deepEqual(faces, { kind: 'text', text: `x${'😀'.repeat(65_535)}` });
});

test('maps unstorable ids and numbers to stable, distinct digests', () => {
  const odd = ['a\0b', 'ab', '\ud800', '\ud801', '\ufffd', 'x'.repeat(200), 'x'.repeat(201)];
  const kept = odd.map((each) => toStorableMessage(message({ networkId: each, contactNumber: each })));
  for (const field of ['networkId', 'contactNumber'] as const) {
    assert.equal(new Set(kept.map((each) => each[field])).size, odd.length);
    assert.ok(kept.every((each) => each[field].length <= 64));
    assert.equal(toStorableMessage(message({ [field]: 'a\0b' }))[field], kept[0]?.[field]);
  }
});

test('stores an implausible voice length as unknown', () => {
  for (const seconds of [72_340_172_838_077, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
    const content = contentOf({ ...voice, seconds, waveform: new Uint8Array(5000) });
    assert.deepEqual(content, { ...voice, seconds: 0, waveform: new Uint8Array(64) });
  }
  const content = contentOf({ ...voice, seconds: 1.6, waveform: new Uint8Array() });
  assert.equal(content.kind === 'voice' && content.seconds, 2);
});

test('replaces a media type that cannot be a header', () => {
  for (const mimeType of ['', 'a\0b', 'audio/ogg\r\nx: y', 'x'.repeat(256), 'bild/größe']) {
    const content = contentOf({ kind: 'image', mimeType, bytes: Buffer.of(1), caption: '' });
    assert.equal(content.kind === 'image' && content.mimeType, 'application/octet-stream');
  }
});

test('replaces an implausible time by the current one', () => {
  const before = Date.now();
  for (const time of [Number.NaN, 8.64e15, -8.64e15, 0, before + 7 * 86_400_000]) {
    const { sentAt } = toStorableMessage(message({ sentAt: new Date(time) }));
    assert.ok(sentAt.getTime() >= before && sentAt.getTime() <= Date.now(), `${time}`);
  }
});
