import { createForger, decode, encode, otherKey, splitToken, type ValidToken } from './forge.ts';

export interface TokenForgery {
  /** The part of the token that is wrong. */
  flaw: string;
  token: string;
}

/** Returns tokens that each have one wrong part. */
export const tokenForgeries = (valid: ValidToken): TokenForgery[] =>
  [
    ...algorithms(valid),
    ...keys(valid),
    ...claims(valid),
    ...times(valid),
    ...encodings(valid),
    ...structures(valid),
  ].map(([flaw, token]) => ({ flaw, token }));

type NamedToken = [flaw: string, token: string];

const typ = 'JWT';

function algorithms(valid: ValidToken): NamedToken[] {
  const { forge, forgeUnsigned, forgeWithKeyPair } = createForger(valid);
  const [, , signature] = splitToken(valid.token);
  return [
    ...['none', 'None', 'NONE', 'nOnE', ''].map(
      (alg): NamedToken => [`the algorithm ${JSON.stringify(alg)}`, forgeUnsigned({ header: { alg, typ } })],
    ),
    ['the algorithm none, with a signature', forgeUnsigned({ header: { alg: 'none', typ } }, signature)],
    ['HS512 with the correct key', forge({ header: { alg: 'HS512', typ }, hash: 'sha512' })],
    ['HS384 with the correct key', forge({ header: { alg: 'HS384', typ }, hash: 'sha384' })],
    ['SHA-1 declared as HS256', forge({ hash: 'sha1' })],
    ['an HMAC declared as RS256', forge({ header: { alg: 'RS256', typ } })],
    ['RS256 with an unknown key pair', forgeWithKeyPair({ header: { alg: 'RS256', typ } })],
    ['an algorithm in lower case', forge({ header: { alg: 'hs256', typ } })],
    ['a list of algorithms', forge({ header: { alg: ['HS256'], typ } })],
    ['no algorithm', forge({ header: { typ } })],
    ['another type', forge({ header: { alg: 'HS256', typ: 'at+jwt' } })],
    ['no type', forge({ header: { alg: 'HS256' } })],
  ];
}

function keys(valid: ValidToken): NamedToken[] {
  const { forge } = createForger(valid);
  const header = (more: object) => ({ alg: 'HS256', typ, ...more });
  const jwk = { kty: 'oct', k: Buffer.from(otherKey).toString('base64url') };
  return [
    ['an unknown key', forge({ key: otherKey })],
    ['an empty key', forge({ key: '' })],
    ['a guessable key', forge({ key: 'secret' })],
    ['the key as text', forge({ key: Buffer.from(valid.signingKey).toString('base64') })],
    ['a kid that is a path', forge({ header: header({ kid: '../../../dev/null' }), key: '' })],
    ['a kid that is SQL', forge({ header: header({ kid: "' union select ''--" }), key: '' })],
    ['a kid of an unknown key', forge({ header: header({ kid: 'mine' }), key: otherKey })],
    ['a kid with the correct key', forge({ header: header({ kid: 'mine' }) })],
    ['an embedded key', forge({ header: header({ jwk }), key: otherKey })],
    ['a key by URL', forge({ header: header({ jku: 'https://example.com/jwks' }), key: otherKey })],
    ['a certificate by URL', forge({ header: header({ x5u: 'https://example.com/x' }), key: otherKey })],
    ['an embedded certificate', forge({ header: header({ x5c: ['MIIB'] }), key: otherKey })],
    ['an unknown critical header', forge({ header: header({ crit: ['exp'], exp: 1 }) })],
    ['an unencoded payload', forge({ header: header({ crit: ['b64'], b64: false }) })],
    ['a compressed payload', forge({ header: header({ zip: 'DEF' }) })],
  ];
}

function claims(valid: ValidToken): NamedToken[] {
  const { forge } = createForger(valid);
  const claims = decode(splitToken(valid.token)[1]);
  const withChange = (change: object) => forge({ claims: { ...claims, ...change } });
  const without = (claim: string) =>
    forge({ claims: Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim)) });
  return [
    ['another issuer', withChange({ iss: 'parley:elsewhere' })],
    ['several issuers', withChange({ iss: [claims['iss'], 'x'] })],
    ['another audience', withChange({ aud: 'someone' })],
    ['several audiences', withChange({ aud: [claims['aud'], 'someone'] })],
    ['a numeric subject', withChange({ sub: 1 })],
    ['a subject in a list', withChange({ sub: [claims['sub']] })],
    ['a subject with a trailing space', withChange({ sub: `${claims['sub']} ` })],
    ['a subject in upper case', withChange({ sub: String(claims['sub']).toUpperCase() })],
    ['a subject with a NUL', withChange({ sub: `${claims['sub']}\0` })],
    ['a scope in a list', withChange({ scope: ['global'] })],
    ['an unknown scope', withChange({ scope: 'admin' })],
    ['a team scope without a team', withChange({ scope: 'team' })],
    ...['iss', 'aud', 'sub', 'scope', 'iat', 'exp'].map(
      (claim): NamedToken => [`no ${claim}`, without(claim)],
    ),
    ['claims in a list', forge({ claims: [claims] })],
    ['claims as a string', forge({ claims: JSON.stringify(claims) })],
    ['a number as claims', forge({ claims: 1 })],
    ['null as claims', forge({ claims: null })],
    ['a nested token', forge({ claimsText: valid.token })],
  ];
}

function times(valid: ValidToken): NamedToken[] {
  const { forge } = createForger(valid);
  const claims = decode(splitToken(valid.token)[1]);
  const iat = claims['iat'] as number;
  const day = 86_400;
  const withChange = (change: object) => forge({ claims: { ...claims, ...change } });
  return [
    ['an expired token', withChange({ iat: iat - day - 1, exp: iat - 1 })],
    ['a token that is not valid yet', withChange({ nbf: iat + 3600 })],
    ['a token issued tomorrow', withChange({ iat: iat + day, exp: iat + 2 * day })],
    ['a lifetime of a year', withChange({ exp: iat + 365 * day })],
    ['a lifetime that is one second too long', withChange({ exp: iat + day + 1 })],
    [
      'an infinite lifetime',
      forge({ claimsText: JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999') }),
    ],
    ['an expiry as a string', withChange({ exp: String(claims['exp']) })],
    ['fractional times', withChange({ iat: iat + 0.5, exp: iat + day + 0.5 })],
  ];
}

function encodings(valid: ValidToken): NamedToken[] {
  const { forge } = createForger(valid);
  const [header, body, signature] = splitToken(valid.token);
  const text = Buffer.from(body, 'base64url').toString();
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const unused = signature.slice(0, -1) + digits.charAt(digits.indexOf(signature.slice(-1)) + 1);
  return [
    ['a repeated claim', forge({ claimsText: text.replace('{', '{"sub":"pk_other",') })],
    ['a repeated algorithm', forge({ headerText: '{"alg":"none","alg":"HS256","typ":"JWT"}' })],
    ['spaces in the claims', forge({ claimsText: text.replaceAll(':', ': ') })],
    ['an escaped claim name', forge({ claimsText: text.replace('"sub"', '"\\u0073ub"') })],
    ['a byte order mark', forge({ claimsText: `\ufeff${text}` })],
    ['text after the claims', forge({ claimsText: `${text}{}` })],
    ['unused bits of the signature', `${header}.${body}.${unused}`],
    ['a padded signature', `${header}.${body}.${signature}=`],
    ['padded claims', `${header}.${body}=.${signature}`],
  ];
}

function structures(valid: ValidToken): NamedToken[] {
  const [header, body, signature] = splitToken(valid.token);
  const other = encode(JSON.stringify({ ...decode(body), sub: 'pk_00000000000000000000' }));
  return [
    ['no signature', `${header}.${body}.`],
    ['two parts', `${header}.${body}`],
    ['four parts', `${valid.token}.${signature}`],
    ['five parts, like an encrypted token', `${valid.token}.${signature}.${signature}`],
    ['a truncated signature', valid.token.slice(0, -2)],
    ['the signature of other claims', `${header}.${other}.${signature}`],
    ['truncated claims', `${header}.${body.slice(0, -4)}.${signature}`],
    ['no header', `.${body}.${signature}`],
    ['only dots', '..'],
    ['a leading dot', `.${valid.token}`],
    ['12,000 trailing characters', `${valid.token}${'A'.repeat(12_000)}`],
  ];
}
