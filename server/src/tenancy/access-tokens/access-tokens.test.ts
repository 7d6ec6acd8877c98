import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createAccessTokens } from './access-tokens.ts';

const signingKey = randomBytes(32);
const clock = { now: () => new Date('2026-11-21T12:00:00.500Z') };
const tokens = createAccessTokens({ signingKey, installationId: 'here', clock });
const issuedAt = Math.floor(clock.now().getTime() / 1000);

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

const goodHeader = { alg: 'HS256', typ: 'JWT' };
const goodClaims = {
  scope: 'global',
  sub: 'pk_1',
  iss: 'parley:here',
  aud: 'parley-partner-api',
  iat: issuedAt,
  exp: issuedAt + 86_400,
};

function forge(
  options: { header?: object; claims?: unknown; key?: Uint8Array | string; hash?: string } = {},
): string {
  const { header = goodHeader, claims = goodClaims, key = signingKey, hash = 'sha256' } = options;
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

const without = (claim: keyof typeof goodClaims) => {
  const { [claim]: _, ...rest } = goodClaims;
  return rest;
};

test('issues tokens with subject, issuer and an expiry of one day', async () => {
  const token = tokens.issue({ keyId: 'pk_1', scope: { kind: 'all' }, generation: 0 });
  const [header, claims] = token.split('.');
  assert.deepEqual(decode(header), goodHeader);
  assert.deepEqual(decode(claims), goodClaims);
  assert.deepEqual(await tokens.verify(token), {
    keyId: 'pk_1',
    generation: 0,
    expiresAt: new Date((issuedAt + 86_400) * 1000),
  });
});

test('names a later generation of the key', async () => {
  const token = tokens.issue({ keyId: 'pk_1', scope: { kind: 'all' }, generation: 2 });
  assert.equal((await tokens.verify(token))?.generation, 2);
  for (const gen of [-1, 1.5, '2', null, [2]]) {
    assert.equal(await tokens.verify(forge({ claims: { ...goodClaims, gen } })), null, JSON.stringify(gen));
  }
});

test('names the team in the token of a team key', async () => {
  const token = tokens.issue({ keyId: 'pk_2', scope: { kind: 'team', teamId: 'team-1' }, generation: 0 });
  const { scope, team_id } = decode(token.split('.')[1]);
  assert.deepEqual({ scope, team_id }, { scope: 'team', team_id: 'team-1' });
});

test('names the role of the key, if it has one', () => {
  const token = tokens.issue({ keyId: 'pk_3', scope: { kind: 'all' }, role: 'support', generation: 0 });
  assert.equal(decode(token.split('.')[1]).role, 'support');
});

test('accepts a hand-made token with the right key, so the forgeries below fail for their own reasons', async () => {
  assert.equal((await tokens.verify(forge()))?.keyId, 'pk_1');
});

const [h, c, s] = forge().split('.') as [string, string, string];
// The last character carries four bits of the signature and two unused bits.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const otherLastCharacter = s.slice(0, -1) + digits.charAt(digits.indexOf(s.slice(-1)) + 1);

const forgeries: Record<string, string> = {
  'the algorithm none, unsigned': `${encode({ alg: 'none', typ: 'JWT' })}.${c}.`,
  'the algorithm none, with a signature': `${encode({ alg: 'none', typ: 'JWT' })}.${c}.${s}`,
  'the algorithm None': `${encode({ alg: 'None', typ: 'JWT' })}.${c}.`,
  'the stronger HS512 under our key': forge({ header: { alg: 'HS512', typ: 'JWT' }, hash: 'sha512' }),
  'the algorithm RS256 claimed for an HMAC': forge({ header: { alg: 'RS256', typ: 'JWT' } }),
  'no algorithm': forge({ header: { typ: 'JWT' } }),
  'another type': forge({ header: { alg: 'HS256', typ: 'at+jwt' } }),
  'no type': forge({ header: { alg: 'HS256' } }),
  'an unknown critical header': forge({ header: { ...goodHeader, crit: ['exp'], exp: 1 } }),
  'an unencoded payload': forge({ header: { ...goodHeader, crit: ['b64'], b64: false } }),
  'a key of its own': forge({ key: randomBytes(32) }),
  'an empty key': forge({ key: '' }),
  'a key it brings along': forge({
    header: { ...goodHeader, jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') } },
    key: 'mine',
  }),
  'a key it points to': forge({
    header: { ...goodHeader, kid: '../../dev/null', jku: 'https://example.com/jwks.json' },
    key: '',
  }),
  'other claims under a good signature': `${h}.${encode({ ...goodClaims, sub: 'pk_2' })}.${s}`,
  'a signature cut short': `${h}.${c}.${s.slice(0, -2)}`,
  'a signature spelled otherwise': `${h}.${c}.${otherLastCharacter}`,
  'a padded signature': `${h}.${c}.${s}=`,
  'no signature': `${h}.${c}.`,
  'two parts': `${h}.${c}`,
  'four parts': `${h}.${c}.${s}.${s}`,
  'five parts, as of an encrypted token': `${h}.${c}.${s}.${s}.${s}`,
  'claims that are an array': forge({ claims: [goodClaims] }),
  'claims that are a text': forge({ claims: 'pk_1' }),
  'claims that are null': forge({ claims: null }),
  'another issuer': forge({ claims: { ...goodClaims, iss: 'parley:elsewhere' } }),
  'an issuer among others': forge({ claims: { ...goodClaims, iss: ['parley:here', 'x'] } }),
  'another audience': forge({ claims: { ...goodClaims, aud: 'someone' } }),
  'no issuer': forge({ claims: without('iss') }),
  'no audience': forge({ claims: without('aud') }),
  'no expiry': forge({ claims: without('exp') }),
  'no time of issue': forge({ claims: without('iat') }),
  'no subject': forge({ claims: without('sub') }),
  'no scope': forge({ claims: without('scope') }),
  'a subject that is a number': forge({ claims: { ...goodClaims, sub: 1 } }),
  'an expiry that is a text': forge({ claims: { ...goodClaims, exp: '9999999999' } }),
  'an expiry now': forge({ claims: { ...goodClaims, exp: issuedAt } }),
  'an expiry past': forge({ claims: { ...goodClaims, exp: issuedAt - 1 } }),
  'a beginning still to come': forge({ claims: { ...goodClaims, nbf: issuedAt + 3600 } }),
  nothing: '',
  dots: '..',
  garbage: 'not.a.token',
};

for (const [what, token] of Object.entries(forgeries)) {
  test(`rejects a token with ${what}`, async () => {
    assert.equal(await tokens.verify(token), null);
  });
}

test('rejects a token of another deployment with the same key', async () => {
  const elsewhere = createAccessTokens({ signingKey, installationId: 'elsewhere', clock });
  const token = elsewhere.issue({ keyId: 'pk_1', scope: { kind: 'all' }, generation: 0 });
  assert.equal(await tokens.verify(token), null);
});
