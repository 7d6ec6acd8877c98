// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** Authentication, idempotency and the request rate. */
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
    why: 'Tokens signed with another algorithm would be accepted.',
  },
  {
    name: 'store-results-unencrypted',
    file: 'server/src/http/idempotency/stored-results.ts',
    find: 'sealed: encryption.seal(Buffer.from(JSON.stringify(body)), sealingContext(key)),',
    replace: 'sealed: Buffer.from(JSON.stringify(body)),',
    test: {
      file: 'server/test/stolen-dump.test.ts',
      name: 'a dump of the database contains no secret in plain text',
    },
    why: 'For a day, a dump would contain device tokens and action headers created under an idempotency key.',
  },
  {
    name: 'keep-a-deleted-keys-state',
    file: 'server/src/api-keys/key-states.ts',
    find: 'const maxAgeMs = 2000;',
    replace: 'const maxAgeMs = 20_000;',
    test: {
      file: 'server/src/access-tokens/authenticator.test.ts',
      name: 'applies a change within five seconds if its notification was lost',
    },
    why: 'Tokens of a deleted key would stay valid where the notification was lost.',
  },
  {
    name: 'exchange-inactive-keys',
    file: 'server/src/api-keys/key-states.ts',
    find: 'isActive && (expiresAt',
    replace: '(expiresAt',
    test: {
      file: 'server/src/access-tokens/access-tokens.routes.test.ts',
      name: 'returns the same response for unknown, wrong, inactive and expired credentials',
    },
    why: 'A deactivated key would keep working.',
  },
  {
    name: 'do-not-lock-after-failures',
    file: 'server/src/access-tokens/failed-exchanges.ts',
    find: 'if (result === null) window.failures += 1;',
    replace: '',
    test: {
      file: 'server/src/access-tokens/failed-exchanges.test.ts',
      name: 'locks an address at its 60th failure',
    },
    why: 'An attacker could guess secrets at full speed.',
  },
  {
    name: 'ignore-requests-of-other-processes',
    file: 'server/src/http/limits/request-rate.ts',
    find: 'await drawBlock(db, keyId, maxDraws)',
    replace: 'await drawBlock(db, keyId, 2 * maxDraws)',
    test: {
      file: 'server/src/http/limits/request-rate.test.ts',
      name: 'allows 0.95 to 1.2 times the limit over several processes',
    },
    why: 'Processes would not share the request rate: two of them would admit twice the limit.',
  },
  {
    name: 'accept-another-request-under-a-key',
    file: 'server/src/http/idempotency/idempotency.ts',
    find: 'if (!known.fingerprint.equals(key.fingerprint)) {',
    replace: 'if (known.fingerprint.length === 0) {',
    test: {
      file: 'server/src/http/idempotency/idempotency.test.ts',
      name: 'rejects a different request with the same key',
    },
    why: 'A different request under a used key would get the first response and never run.',
  },
  {
    name: 'run-a-repeated-request',
    file: 'server/src/http/idempotency/idempotency.queries.ts',
    find: 'where ${isFree}\n    returning claim`',
    replace: 'where true\n    returning claim`',
    test: {
      file: 'server/src/messages/send-idempotency.test.ts',
      name: 'returns the first response to a repeat and sends one message',
    },
    why: 'A repeated request would run again.',
  },
];
