import { createForger, encode, foreignKey, type GoodToken, read, splitToken } from './forge.ts';

export interface TokenForgery {
  /** The mistake that would accept the token. */
  overlooks: string;
  token: string;
}

/** Tokens with one wrong part. */
export const tokenForgeries = (good: GoodToken): TokenForgery[] =>
  [
    ...algorithms(good),
    ...keys(good),
    ...claims(good),
    ...times(good),
    ...spellings(good),
    ...shapes(good),
  ].map(([overlooks, token]) => ({ overlooks, token }));

type Named = [overlooks: string, token: string];

const typ = 'JWT';

function algorithms(good: GoodToken): Named[] {
  const { forge, forgeUnsigned, forgeWithKeyPair } = createForger(good);
  const [, , signature] = splitToken(good.token);
  return [
    ...['none', 'None', 'NONE', 'nOnE', ''].map(
      (alg): Named => [`the algorithm ${JSON.stringify(alg)}`, forgeUnsigned({ header: { alg, typ } })],
    ),
    ['the algorithm none, with a signature', forgeUnsigned({ header: { alg: 'none', typ } }, signature)],
    ['HS512 under our key', forge({ header: { alg: 'HS512', typ }, hash: 'sha512' })],
    ['HS384 under our key', forge({ header: { alg: 'HS384', typ }, hash: 'sha384' })],
    ['SHA-1 called HS256', forge({ hash: 'sha1' })],
    ['RS256 claimed for an HMAC', forge({ header: { alg: 'RS256', typ } })],
    ['RS256 with a key pair of its own', forgeWithKeyPair({ header: { alg: 'RS256', typ } })],
    ['an algorithm in small letters', forge({ header: { alg: 'hs256', typ } })],
    ['a list of algorithms', forge({ header: { alg: ['HS256'], typ } })],
    ['no algorithm', forge({ header: { typ } })],
    ['another type', forge({ header: { alg: 'HS256', typ: 'at+jwt' } })],
    ['no type', forge({ header: { alg: 'HS256' } })],
  ];
}

function keys(good: GoodToken): Named[] {
  const { forge } = createForger(good);
  const header = (more: object) => ({ alg: 'HS256', typ, ...more });
  const jwk = { kty: 'oct', k: Buffer.from(foreignKey).toString('base64url') };
  return [
    ["a stranger's key", forge({ key: foreignKey })],
    ['an empty key', forge({ key: '' })],
    ['a key that anybody would guess', forge({ key: 'secret' })],
    ['the key as text', forge({ key: Buffer.from(good.signingKey).toString('base64') })],
    ['a kid that is a path', forge({ header: header({ kid: '../../../dev/null' }), key: '' })],
    ['a kid that is SQL', forge({ header: header({ kid: "' union select ''--" }), key: '' })],
    ['a kid of a stranger', forge({ header: header({ kid: 'mine' }), key: foreignKey })],
    ['a kid under our key', forge({ header: header({ kid: 'mine' }) })],
    ['a key it brings along', forge({ header: header({ jwk }), key: foreignKey })],
    ['a key it points to', forge({ header: header({ jku: 'https://example.com/jwks' }), key: foreignKey })],
    [
      'a certificate it points to',
      forge({ header: header({ x5u: 'https://example.com/x' }), key: foreignKey }),
    ],
    ['a certificate it brings along', forge({ header: header({ x5c: ['MIIB'] }), key: foreignKey })],
    ['an unknown critical header', forge({ header: header({ crit: ['exp'], exp: 1 }) })],
    ['an unencoded payload', forge({ header: header({ crit: ['b64'], b64: false }) })],
    ['a compressed payload', forge({ header: header({ zip: 'DEF' }) })],
  ];
}

function claims(good: GoodToken): Named[] {
  const { forge } = createForger(good);
  const was = read(splitToken(good.token)[1]);
  const but = (change: object) => forge({ claims: { ...was, ...change } });
  const without = (claim: string) =>
    forge({ claims: Object.fromEntries(Object.entries(was).filter(([name]) => name !== claim)) });
  return [
    ['another issuer', but({ iss: 'parley:elsewhere' })],
    ['an issuer among others', but({ iss: [was['iss'], 'x'] })],
    ['another audience', but({ aud: 'someone' })],
    ['an audience among others', but({ aud: [was['aud'], 'someone'] })],
    ['a subject that is no text', but({ sub: 1 })],
    ['a subject that is a list', but({ sub: [was['sub']] })],
    ['a subject with a blank', but({ sub: `${was['sub']} ` })],
    ['a subject in capitals', but({ sub: String(was['sub']).toUpperCase() })],
    ['a subject with a NUL', but({ sub: `${was['sub']}\0` })],
    ['a scope that is a list', but({ scope: ['global'] })],
    ['a scope that is none', but({ scope: 'admin' })],
    ['a scope of a team without one', but({ scope: 'team' })],
    ...['iss', 'aud', 'sub', 'scope', 'iat', 'exp'].map((claim): Named => [`no ${claim}`, without(claim)]),
    ['claims that are a list', forge({ claims: [was] })],
    ['claims that are a text', forge({ claims: JSON.stringify(was) })],
    ['claims that are a number', forge({ claims: 1 })],
    ['claims that are null', forge({ claims: null })],
    ['a token within the token', forge({ claimsText: good.token })],
  ];
}

function times(good: GoodToken): Named[] {
  const { forge } = createForger(good);
  const was = read(splitToken(good.token)[1]);
  const iat = was['iat'] as number;
  const day = 86_400;
  const but = (change: object) => forge({ claims: { ...was, ...change } });
  return [
    ['that it has expired', but({ iat: iat - day - 1, exp: iat - 1 })],
    ['that it is not valid yet', but({ nbf: iat + 3600 })],
    ['that it is of tomorrow', but({ iat: iat + day, exp: iat + 2 * day })],
    ['that it lasts for a year', but({ exp: iat + 365 * day })],
    ['that it lasts a second longer', but({ exp: iat + day + 1 })],
    [
      'that it lasts for ever',
      forge({ claimsText: JSON.stringify(was).replace(/"exp":\d+/, '"exp":1e999') }),
    ],
    ['an expiry that is a text', but({ exp: String(was['exp']) })],
    ['times with fractions', but({ iat: iat + 0.5, exp: iat + day + 0.5 })],
  ];
}

function spellings(good: GoodToken): Named[] {
  const { forge } = createForger(good);
  const [header, body, signature] = splitToken(good.token);
  const text = Buffer.from(body, 'base64url').toString();
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const unused = signature.slice(0, -1) + digits.charAt(digits.indexOf(signature.slice(-1)) + 1);
  return [
    ['a claim that stands twice', forge({ claimsText: text.replace('{', '{"sub":"pk_other",') })],
    ['an algorithm that stands twice', forge({ headerText: '{"alg":"none","alg":"HS256","typ":"JWT"}' })],
    ['blanks in the claims', forge({ claimsText: text.replaceAll(':', ': ') })],
    ['a name that is escaped', forge({ claimsText: text.replace('"sub"', '"\\u0073ub"') })],
    ['a byte order mark', forge({ claimsText: `\ufeff${text}` })],
    ['text behind the claims', forge({ claimsText: `${text}{}` })],
    ['bits of the signature that mean nothing', `${header}.${body}.${unused}`],
    ['padding', `${header}.${body}.${signature}=`],
    ['padding of the claims', `${header}.${body}=.${signature}`],
  ];
}

function shapes(good: GoodToken): Named[] {
  const [header, body, signature] = splitToken(good.token);
  const other = encode(JSON.stringify({ ...read(body), sub: 'pk_00000000000000000000' }));
  return [
    ['no signature', `${header}.${body}.`],
    ['two parts', `${header}.${body}`],
    ['four parts', `${good.token}.${signature}`],
    ['five parts, as of an encrypted token', `${good.token}.${signature}.${signature}`],
    ['a signature cut short', good.token.slice(0, -2)],
    ['a signature of other claims', `${header}.${other}.${signature}`],
    ['claims cut short', `${header}.${body.slice(0, -4)}.${signature}`],
    ['no header', `.${body}.${signature}`],
    ['nothing but dots', '..'],
    ['a dot before', `.${good.token}`],
    ['sixteen kilobytes behind it', `${good.token}${'A'.repeat(12_000)}`],
  ];
}
