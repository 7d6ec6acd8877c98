// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code that are templates themselves
import type { Defect } from '../defect.ts';

/** Who may come in, and how often. */
export const accessDefects: readonly Defect[] = [
  {
    name: 'accept-any-algorithm',
    file: 'server/src/access-tokens/access-tokens.ts',
    find: 'algorithms: [algorithm],',
    replace: '',
    test: {
      file: 'server/src/access-tokens/access-tokens.test.ts',
      name: 'the stronger HS512 under our key',
    },
    why: 'Tokens of another algorithm than the one we issue would be taken.',
  },
  {
    name: 'take-another-spelling-of-a-token',
    file: 'server/src/access-tokens/access-tokens.ts',
    find: 'if (!isCanonical(token)) return null;',
    replace: '',
    test: { file: 'server/src/access-tokens/access-tokens.test.ts', name: 'a signature spelled otherwise' },
    why: 'One token would be good under several spellings, of which a list of revoked ones knows one.',
  },
  {
    name: 'keep-results-in-the-clear',
    file: 'server/src/http/idempotency/stored-results.ts',
    find: 'sealed: encryption.seal(Buffer.from(JSON.stringify(body)), context(key)),',
    replace: 'sealed: Buffer.from(JSON.stringify(body)),',
    test: {
      file: 'server/test/stolen-dump.test.ts',
      name: 'whoever steals a dump of the database has no secret of it',
    },
    why: 'For a day a dump would hold the tokens of devices and the headers of actions that were created under a key.',
  },
  {
    name: 'keep-a-deleted-keys-state',
    file: 'server/src/api-keys/key-states.ts',
    find: 'const maxAgeMs = 2000;',
    replace: 'const maxAgeMs = 20_000;',
    test: {
      file: 'server/src/access-tokens/authenticator.test.ts',
      name: 'a change that no notification told of counts within five seconds',
    },
    why: "A deleted key's tokens would live on where the notification was lost.",
  },
  {
    name: 'exchange-inactive-keys',
    file: 'server/src/api-keys/key-states.ts',
    find: 'isActive && (expiresAt',
    replace: '(expiresAt',
    test: {
      file: 'server/src/access-tokens/access-tokens.routes.test.ts',
      name: 'unknown, wrong, inactive and expired credentials are answered alike',
    },
    why: 'A key that was switched off would go on working.',
  },
  {
    name: 'skip-the-dummy-hash',
    file: 'server/src/api-keys/credentials.ts',
    find: 'const hash = hashSecret(encryption, secret);',
    replace:
      'const hash = (await selectApiKey(db, keyId)) === undefined ? noSecret : hashSecret(encryption, secret);',
    test: {
      file: 'server/src/api-keys/credentials.test.ts',
      name: 'an unknown key costs the same steps as a wrong secret',
    },
    why: 'The time of the answer would tell whether a key exists.',
  },
  {
    name: 'let-guesses-go-on',
    file: 'server/src/access-tokens/failed-exchanges.ts',
    find: 'if (result === null) window.failures += 1;',
    replace: '',
    test: {
      file: 'server/src/access-tokens/failed-exchanges.test.ts',
      name: 'an address is locked with its sixtieth failure',
    },
    why: 'Secrets could be guessed at full speed.',
  },
  {
    name: 'tell-routes-without-a-token',
    file: 'server/src/http/authentication.ts',
    find: 'request.is404 ? isBelowApi(request.url) :',
    replace: 'request.is404 ? false :',
    test: {
      file: 'server/src/http/connections.test.ts',
      name: 'a path asks for a token first, however it is written',
    },
    why: 'Who has no token could tell by 404 and 401 which routes there are.',
  },
  {
    name: 'draw-requests-for-oneself',
    file: 'server/src/http/limits/request-rate.ts',
    find: 'await drawBlock(db, keyId, maxDraws)',
    replace: 'await drawBlock(db, keyId, 2 * maxDraws)',
    test: {
      file: 'server/src/http/limits/request-rate.test.ts',
      name: 'lets through between 0.95 and 1.2 times its limit over several processes',
    },
    why: 'The request rate would not be shared: two processes would let through twice the limit.',
  },
  {
    name: 'take-any-request-for-a-repeat',
    file: 'server/src/http/idempotency/idempotency.ts',
    find: 'if (!known.fingerprint.equals(key.fingerprint)) {',
    replace: 'if (known.fingerprint.length === 0) {',
    test: {
      file: 'server/src/http/idempotency/idempotency.test.ts',
      name: 'a key is for one request: any other under it is refused',
    },
    why: "Another request under a used key would get the first one's answer, and not be done.",
  },
  {
    name: 'do-what-a-repeat-asks',
    file: 'server/src/http/idempotency/idempotency.queries.ts',
    find: 'where ${isFree}\n    returning claim`',
    replace: 'where true\n    returning claim`',
    test: {
      file: 'server/src/messages/send-idempotency.test.ts',
      name: 'makes repeats one message with one answer',
    },
    why: 'A repeat would be done again.',
  },
];
