import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkCodes } from './link-codes.ts';

const qr = (reference: string, secret: string) =>
  `https://wa.me/settings/linked_devices#${reference},N,I,${secret},1`;
const socket = { requestPairingCode: async () => 'ABCD1234' };

test('shows the codes that the library creates', async () => {
  const codes = new LinkCodes({ advSecretKey: 'first' }, null);
  assert.equal((await codes.next(qr('one', 'first'), socket))?.text, qr('one', 'first'));
});

test('shows the same code with a new secret, and later ones with the new secret, until the old lifetime ends', async () => {
  const creds = { advSecretKey: 'first' };
  const codes = new LinkCodes(creds, null);
  const shown = await codes.next(qr('one', 'first'), socket);
  const renewed = codes.renew();
  assert.notEqual(creds.advSecretKey, 'first');
  assert.equal(Buffer.from(creds.advSecretKey, 'base64').length, 32);
  assert.deepEqual(renewed, { text: qr('one', creds.advSecretKey), expiresAt: shown?.expiresAt });
  assert.equal((await codes.next(qr('two', 'first'), socket))?.text, qr('two', creds.advSecretKey));
});

test('keeps a pairing code and the secret that was derived from it', async () => {
  const creds = { advSecretKey: 'derived' };
  const codes = new LinkCodes(creds, '+15550199');
  assert.equal((await codes.next(qr('one', 'first'), socket))?.text, 'ABCD1234');
  assert.equal(codes.renew(), null);
  assert.equal(creds.advSecretKey, 'derived');
  assert.equal(await codes.next(qr('two', 'first'), socket), null);
});
