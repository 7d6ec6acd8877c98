import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { downloadMedia } from './media-download.ts';
import type { MediaReference } from './media-reference.ts';

const message = {
  networkId: 'A',
  contactNumber: '+15550199',
  fromMe: false,
  sentAt: new Date(),
  content: { kind: 'text', text: '[image]' },
} as const;

const reference = (values: Partial<MediaReference>): MediaReference => ({
  type: 'image',
  keyType: 'image',
  mediaKey: new Uint8Array(32),
  directPath: '/v/t62',
  url: '',
  sha256: new Uint8Array(32),
  bytes: 10,
  mimeType: 'image/png',
  caption: '',
  fileName: '',
  seconds: 0,
  waveform: new Uint8Array(),
  ...values,
});

test('ignores the host in a message', async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  const requested: string[] = [];
  const fetchNow = globalThis.fetch;
  globalThis.fetch = async (url) => {
    requested.push(new URL(String(url)).host);
    throw new Error('no network in tests');
  };
  const media = reference({ url: `https://127.0.0.1:${address.port}/v` });
  const options = { maxBytes: 100, isFake: false, warn: () => undefined };
  const { details } = await downloadMedia(message, media, options);
  globalThis.fetch = fetchNow;
  server.close();
  assert.equal(details?.missingMedia, 'unavailable');
  assert.deepEqual(new Set(requested), new Set(['mmg.whatsapp.net']));
  assert.equal(connections, 0);
});

test('downloads nothing when the message names no path, or too many bytes', async () => {
  const options = { maxBytes: 100, isFake: false, warn: () => undefined };
  const withoutPath = await downloadMedia(message, reference({ directPath: '@127.0.0.1/' }), options);
  assert.equal(withoutPath.details?.missingMedia, 'unavailable');
  const tooLarge = await downloadMedia(message, reference({ bytes: 101 }), options);
  assert.equal(tooLarge.details?.missingMedia, 'too_large');
});
