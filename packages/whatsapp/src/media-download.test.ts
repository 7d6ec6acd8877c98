import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { mock, test } from 'node:test';
import { type DownloadOptions, downloadMedia } from './media-download.ts';
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

const options = (values: Partial<DownloadOptions> = {}): DownloadOptions => ({
  maxBytes: 100,
  isFake: false,
  signal: new AbortController().signal,
  requestUpload: () => Promise.reject(new Error('the phone is offline')),
  warn: () => undefined,
  ...values,
});

test('ignores the host in a message', async (context) => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  const requested: string[] = [];
  context.mock.method(globalThis, 'fetch', async (url: string) => {
    requested.push(new URL(url).host);
    throw new Error('no network in tests');
  });
  const media = reference({ url: `https://127.0.0.1:${address.port}/v` });
  const { details } = await downloadMedia(message, media, options());
  assert.equal(details?.missingMedia, 'unavailable');
  assert.deepEqual(new Set(requested), new Set(['mmg.whatsapp.net']));
  assert.equal(connections, 0);
});

test('downloads nothing when the message names no path, or too many bytes', async () => {
  const withoutPath = await downloadMedia(message, reference({ directPath: '@127.0.0.1/' }), options());
  assert.equal(withoutPath.details?.missingMedia, 'unavailable');
  const tooLarge = await downloadMedia(message, reference({ bytes: 101 }), options());
  assert.equal(tooLarge.details?.missingMedia, 'too_large');
});

test('stops reading when the host sends more than the limit, whatever the message says', async (context) => {
  const cancel = mock.fn();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(40)),
    cancel,
  });
  context.mock.method(globalThis, 'fetch', async () => new Response(endless));
  const { details } = await downloadMedia(message, reference({}), options());
  assert.equal(details?.missingMedia, 'too_large');
  assert.equal(cancel.mock.callCount(), 1);
});

for (const status of [403, 404, 410])
  test(`asks the phone once to upload media again that the host answers with ${status}`, async (context) => {
    const requested: string[] = [];
    context.mock.method(globalThis, 'fetch', async (url: string) => {
      requested.push(new URL(url).pathname);
      return new Response(null, { status });
    });
    const requestUpload = mock.fn(async () => '/v/again');
    const { details } = await downloadMedia(message, reference({}), options({ requestUpload }));
    assert.equal(details?.missingMedia, 'unavailable');
    assert.deepEqual(requested, ['/v/t62', '/v/again']);
    assert.equal(requestUpload.mock.callCount(), 1);
  });
