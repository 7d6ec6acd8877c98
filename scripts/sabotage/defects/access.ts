// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** Keys, tokens, hosts and Idempotency-Keys. */
export const accessDefects: readonly Defect[] = [
  {
    name: 'accept-any-algorithm',
    file: 'server/src/tenancy/access-tokens/access-tokens.ts',
    find: 'algorithms: [algorithm],',
    replace: '',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.test.ts',
      name: 'the stronger HS512 under our key',
    },
    why: 'Tokens signed with another algorithm would be accepted.',
  },
  {
    name: 'keep-a-deleted-keys-state',
    file: 'server/src/tenancy/api-keys/key-states.ts',
    find: 'const maxAgeMs = 2000;',
    replace: 'const maxAgeMs = 20_000;',
    test: {
      file: 'server/src/tenancy/access-tokens/authenticator.test.ts',
      name: 'applies a change within five seconds if its notification was lost',
    },
    why: 'Tokens of a deleted key would stay valid where the notification was lost.',
  },
  {
    name: 'exchange-inactive-keys',
    file: 'server/src/tenancy/api-keys/key-states.ts',
    find: 'isActive && (expiresAt',
    replace: '(expiresAt',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.routes.test.ts',
      name: 'returns the same response for unknown, wrong, inactive and expired credentials',
    },
    why: 'A deactivated key would keep working.',
  },
  {
    name: 'trust-the-password-of-an-invitation',
    file: 'server/src/tenancy/people/proofs.queries.ts',
    find: 'p.proved_at is not null as is_proved',
    replace: 'p.id is not null as is_proved',
    test: {
      file: 'server/src/tenancy/people/codes.test.ts',
      name: 'a proof joins the users of an address, and a password of before opens none of them',
    },
    why: 'The sender of an invitation could read the other teams of its address.',
  },
  {
    name: 'try-a-code-without-end',
    file: 'server/src/tenancy/people/proofs.queries.ts',
    find: 'and attempts < ${maxAttempts} ',
    replace: '',
    test: { file: 'server/src/tenancy/people/codes.test.ts', name: 'counts attempts that arrive together' },
    why: 'A code could be guessed.',
  },
  {
    name: 'do-not-count-failures-by-key',
    file: 'server/src/tenancy/access-tokens/access-tokens.routes.ts',
    find: 'if (key === null) throw reject(request.ip, keyId);',
    replace: 'if (key === null) throw reject(request.ip, null);',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.routes.test.ts',
      name: 'adds Retry-After to failures of a key id over 60 a minute',
    },
    why: 'An attacker could guess the secret of one key ten times as often.',
  },
  {
    name: 'respond-under-every-host',
    file: 'server/src/platform/shared/hosts.ts',
    find: '|| isIP(name) !== 0)) return false;',
    replace: "|| name.includes('.'))) return false;",
    test: {
      file: 'server/test/browsers.test.ts',
      name: 'refuses a page on a name that DNS has pointed at this machine',
    },
    why: 'A web page could read metrics and write messages through the browser of a visitor.',
  },
  {
    name: 'accept-another-request-under-a-key',
    file: 'server/src/platform/http/idempotency/idempotency.ts',
    find: 'if (!known.fingerprint.equals(key.fingerprint)) {',
    replace: 'if (known.fingerprint.length === 0) {',
    test: {
      file: 'server/src/platform/http/idempotency/idempotency.test.ts',
      name: 'rejects a different request with the same key',
    },
    why: 'A different request under a used key would get the first response and never run.',
  },
  {
    name: 'run-a-repeated-request',
    file: 'server/src/platform/http/idempotency/idempotency.queries.ts',
    find: 'where ${isFree}\n    returning claim`',
    replace: 'where true\n    returning claim`',
    test: {
      file: 'server/src/chat/messages/send-idempotency.test.ts',
      name: 'returns the first response to a repeat and sends one message',
    },
    why: 'A repeated request would run again.',
  },
  {
    name: 'ignore-missed-notifications',
    file: 'server/src/platform/database/notifications.ts',
    find: 'for (const listener of gapListeners) listener();',
    replace: '',
    test: {
      file: 'server/src/platform/database/notifications.test.ts',
      name: 'calls gap listeners when notifications may have been missed',
    },
    why: 'After a lost connection, caches would keep states that changed meanwhile.',
  },
  {
    name: 'accept-revoked-device-tokens',
    file: 'server/src/pool/pool.ts',
    find: 'generation: await readGeneration(deviceId)',
    replace: 'generation: 0',
    test: {
      file: 'server/src/lifecycle/key-rotation/key-rotation.reliability.test.ts',
      name: 'a device keeps its token over a rotation until the token is revoked',
    },
    why: 'A leaked device token could not be revoked.',
  },
];
