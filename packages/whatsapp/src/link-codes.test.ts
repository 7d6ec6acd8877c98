import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { WABrowserDescription, WASocket } from 'baileys';
import { CodeRefused, LinkCodes } from './link-codes.ts';

const qr = (reference: string, secret: string) =>
  `https://wa.me/settings/linked_devices#${reference},N,I,${secret},1`;
const browser = (): WABrowserDescription => ['Acme Bikes', 'Chrome', '1.0'];

function createSocket(respond: (events: EventEmitter) => void) {
  const events = new EventEmitter();
  return {
    // The listeners of a real socket, without its connection.
    ws: events as WASocket['ws'],
    requestPairingCode: async () => {
      setImmediate(() => respond(events));
      return 'ABCD1234';
    },
  };
}
const socket = createSocket((events) => events.emit('CB:iq,type:result', { tag: 'iq', attrs: {} }));

test('shows the codes that the library creates', async () => {
  const codes = new LinkCodes({ advSecretKey: 'first' }, null, browser());
  assert.equal((await codes.next(qr('one', 'first'), socket))?.text, qr('one', 'first'));
});

test('shows the same code with a new secret, and later ones with the new secret, until the old lifetime ends', async () => {
  const creds = { advSecretKey: 'first' };
  const codes = new LinkCodes(creds, null, browser());
  const shown = await codes.next(qr('one', 'first'), socket);
  const renewed = codes.renew();
  assert.notEqual(creds.advSecretKey, 'first');
  assert.equal(Buffer.from(creds.advSecretKey, 'base64').length, 32);
  assert.deepEqual(renewed, { text: qr('one', creds.advSecretKey), expiresAt: shown?.expiresAt });
  assert.equal((await codes.next(qr('two', 'first'), socket))?.text, qr('two', creds.advSecretKey));
});

test('keeps a pairing code and the secret that was derived from it', async () => {
  const creds = { advSecretKey: 'derived' };
  const codes = new LinkCodes(creds, '+15550199', browser());
  assert.equal((await codes.next(qr('one', 'first'), socket))?.text, 'ABCD1234');
  assert.equal(codes.renew(), null);
  assert.equal(creds.advSecretKey, 'derived');
  assert.equal(await codes.next(qr('two', 'first'), socket), null);
});

test('names a system that the network knows when it requests a pairing code, and reports a refusal', async () => {
  const named = browser();
  const codes = new LinkCodes({ advSecretKey: 'first' }, '+15550199', named);
  const refusing = createSocket((events) => {
    const error = { tag: 'error', attrs: { code: '429' } };
    events.emit('CB:iq,type:error', { tag: 'iq', attrs: {}, content: [error] });
  });
  await assert.rejects(
    codes.next(qr('one', 'first'), refusing),
    (error) => error instanceof CodeRefused && error.reason === 'too_many_codes',
  );
  assert.equal(named[0], 'Mac OS');
});
