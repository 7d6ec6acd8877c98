// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** Authentication, idempotency and the request rate. */
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
    name: 'store-results-unencrypted',
    file: 'server/src/platform/http/idempotency/stored-results.ts',
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
    name: 'refuse-correct-secrets-after-failures',
    file: 'server/src/tenancy/access-tokens/access-tokens.routes.ts',
    find: 'if (key === null) throw',
    replace: 'if (key === null || failedExchanges.count(request.ip, keyId) > 0) throw',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.routes.test.ts',
      name: 'adds Retry-After to failures of a key id over 60 a minute and still accepts the secret',
    },
    why: 'An attacker behind the same proxy could lock a partner out.',
  },
  {
    name: 'serve-the-simulator-to-other-machines',
    file: 'server/src/process/config.ts',
    find: 'servesOthers && !config.ALLOW_SIMULATOR',
    replace: "servesOthers && config.NODE_ENV === 'production' && !config.ALLOW_SIMULATOR",
    test: {
      file: 'server/src/process/config.test.ts',
      name: 'serves the simulator to other machines only with ALLOW_SIMULATOR',
    },
    why: 'Anyone in the local network could send messages as any phone.',
  },
  {
    name: 'read-large-bodies-of-strangers',
    file: 'server/src/platform/http/body.ts',
    find: 'const maxPublicBytes = 4096;',
    replace: 'const maxPublicBytes = 1024 * 1024;',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.routes.test.ts',
      name: 'accepts a body of 4 KiB and rejects a larger one',
    },
    why: 'Eight clients without a token could slow every other client down to seconds.',
  },
  {
    name: 'keep-unauthenticated-connections',
    file: 'server/src/platform/http/connection-shares.ts',
    find: 'strangers.size < limits.maxUnauthenticated &&',
    replace: 'strangers.size < 2 * limits.maxUnauthenticated &&',
    test: {
      file: 'server/src/platform/http/connection-shares.test.ts',
      name: 'closes the oldest connection without a valid token',
    },
    why: 'Clients without a token could take all connections.',
  },
  {
    name: 'close-connections-of-the-newest-caller',
    file: 'server/src/platform/http/connection-shares.ts',
    find: 'const largest = [...findLargest()]',
    replace: 'const largest = [...strangers]',
    test: {
      file: 'server/src/platform/http/connection-shares.test.ts',
      name: 'closes the oldest connection of the team with the most',
    },
    why: 'One team could take all connections, and every new connection of others would be closed.',
  },
  {
    name: 'close-authenticated-connections-first',
    file: 'server/src/platform/http/connection-shares.ts',
    find: 'if (oldestStranger !== undefined) return',
    replace: 'if (strangers.size >= limits.maxUnauthenticated) return',
    test: {
      file: 'server/src/platform/http/connection-shares.test.ts',
      name: 'closes an unauthenticated connection before those of the caller with the most',
    },
    why: 'Clients without a token could close the connections of the partner with the most.',
  },
  {
    name: 'close-the-newest-caller-for-a-flood',
    file: 'server/src/platform/http/connection-shares.ts',
    find: 'const [oldestStranger] = strangers',
    replace:
      'const oldestStranger = [...strangers].find((socket) => !requests.has(socket)) ?? [...strangers][0]',
    test: {
      file: 'server/src/platform/http/connection-shares.test.ts',
      name: 'a flood with requests in progress does not close a new connection',
    },
    why: 'Unfinished requests of clients without a token would close every new connection of a partner.',
  },
  {
    name: 'leave-data-open-to-other-users',
    file: 'server/src/platform/shared/data-directory.ts',
    find: 'mode & 0o700',
    replace: 'mode & 0o755',
    test: {
      file: 'server/src/platform/shared/data-directory.test.ts',
      name: 'closes an existing directory to other users',
    },
    why: 'Other users of the machine could list the files of a deployment.',
  },
  {
    name: 'remove-the-lock-of-a-live-simulator',
    file: 'simulator/src/data-lock.ts',
    find: "return '';\n  } catch",
    replace: 'return null;\n  } catch',
    test: {
      file: 'simulator/src/data-lock.test.ts',
      name: 'leaves the lock to a process that is starting',
    },
    why: 'Two processes could run the simulated network on one journal.',
  },
  {
    name: 'parse-deep-bodies',
    file: 'server/src/platform/http/body.ts',
    find: 'if (isDeeperThan(text, maxDepth))',
    replace: 'if (isDeeperThan(text, 10 * maxDepth))',
    test: {
      file: 'server/src/platform/http/body.test.ts',
      name: 'accepts a body nested 32 levels deep and rejects a deeper one',
    },
    why: 'Code that walks a body recursively could overflow the stack.',
  },
  {
    name: 'warn-about-every-forwarded-request',
    file: 'server/src/platform/http/host-check.ts',
    find: '    warned = true;',
    replace: '',
    test: {
      file: 'server/test/browsers.test.ts',
      name: 'logs once that a peer which is no trusted proxy sends X-Forwarded-For',
    },
    why: 'Any client could fill the log.',
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
    name: 'accept-web-sockets-of-every-page',
    file: 'simulator/src/device-endpoint.ts',
    find: 'refuse(request.headers)?.status ?? (',
    replace: '(',
    test: {
      file: 'server/test/browsers.test.ts',
      name: 'refuses pages of other sites under /simulator and /metrics, and WebSockets of other origins',
    },
    why: 'A web page could open a device and receive its QR code.',
  },
  {
    name: 'show-metrics-under-every-host',
    file: 'server/src/platform/metrics/exposition.ts',
    find: '!isForwarded && isLocalHost &&',
    replace: '!isForwarded &&',
    test: {
      file: 'server/test/browsers.test.ts',
      name: 'serves metrics without METRICS_TOKEN only under a loopback host',
    },
    why: 'A proxy on the same machine would show the metrics to its clients.',
  },
  {
    name: 'keep-the-first-of-repeated-hosts',
    file: 'server/src/platform/http/connections.ts',
    find: 'joinDuplicateHeaders: true,',
    replace: '',
    test: {
      file: 'server/test/browsers.test.ts',
      name: 'refuses a repeated and an empty Host header on every route',
    },
    why: 'A proxy and Parley could read different hosts from one request.',
  },
  {
    name: 'ignore-requests-of-other-processes',
    file: 'server/src/platform/http/limits/request-rate.ts',
    find: 'await drawBlock(db, keyId, maxDraws)',
    replace: 'await drawBlock(db, keyId, 2 * maxDraws)',
    test: {
      file: 'server/src/platform/http/limits/request-rate.test.ts',
      name: 'allows 0.95 to 1.2 times the limit over several processes',
    },
    why: 'Processes would not share the request rate: two of them would admit twice the limit.',
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
    name: 'replay-a-refused-message-as-accepted',
    file: 'server/src/chat/messages/send.ts',
    find: "if (outcome.status === 'refused') throw refusedByNetwork(outcome.failure);\n  return { ...stored",
    replace: 'return { ...stored',
    test: {
      file: 'server/src/chat/messages/send-idempotency.test.ts',
      name: 'a message that the live path refused is refused again and not sent again',
    },
    why: 'A partner would take a refunded message as sent.',
  },
  {
    name: 'store-a-disconnected-device',
    file: 'server/src/platform/http/idempotency/idempotency.ts',
    find: "'device_not_connected',\n  'device_restricted'",
    replace: "'device_restricted'",
    test: {
      file: 'server/src/chat/messages/send-idempotency.test.ts',
      name: 'device_not_connected is not stored',
    },
    why: 'For a day, retries of a send would fail although its device is connected again.',
  },
  {
    name: 'revive-tokens-of-a-reactivated-key',
    file: 'server/src/tenancy/access-tokens/authenticator.ts',
    find: ' || generation < state.tokenGeneration',
    replace: '',
    test: {
      file: 'server/src/tenancy/access-tokens/authenticator.test.ts',
      name: 'rejects the tokens of a deactivated key in every process, also after the key is activated again',
    },
    why: 'A stolen token would work again when its key is activated again.',
  },
  {
    name: 'skip-the-hash-for-unknown-keys',
    file: 'server/src/tenancy/api-keys/credentials.ts',
    find: 'const hashes = hashWithAllKeys(encryption, secret);\n  const row = await selectApiKey(db, keyId);',
    replace:
      'const row = await selectApiKey(db, keyId);\n  const hashes = row === undefined ? [] : hashWithAllKeys(encryption, secret);',
    test: {
      file: 'server/src/tenancy/api-keys/credentials.test.ts',
      name: 'runs the same steps for an unknown key as for a wrong secret',
    },
    why: 'The response time would reveal whether a key exists.',
  },
  {
    name: 'reveal-routes-without-a-token',
    file: 'server/src/platform/http/authentication.ts',
    find: 'request.is404 ? isApiPath(request.url) :',
    replace: 'request.is404 ? false :',
    test: {
      file: 'server/src/platform/http/authentication.test.ts',
      name: 'hides without a token whether a route exists',
    },
    why: 'A stranger could tell by 404 and 401 which routes exist.',
  },
  {
    name: 'accept-another-spelling-of-a-token',
    file: 'server/src/tenancy/access-tokens/access-tokens.ts',
    find: 'if (!isCanonical(token)) return null;',
    replace: '',
    test: {
      file: 'server/src/tenancy/access-tokens/access-tokens.test.ts',
      name: 'a signature spelled otherwise',
    },
    why: 'One token would be valid in several spellings, and a list of revoked tokens would contain only one.',
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
    name: 'show-a-qr-code-after-the-link-was-used',
    file: 'server/src/devices/link.ts',
    find: 'const isLinked = link.used || device.logged_in;',
    replace: 'const isLinked = device.logged_in;',
    test: {
      file: 'server/src/devices/link.test.ts',
      name: 'shows no QR code once a phone was linked, even after it is unlinked',
    },
    why: 'After the phone is unlinked, the receiver of an old link could link a phone of their own.',
  },
  {
    name: 'let-other-sites-frame-the-console',
    file: 'server/src/process/console/console.routes.ts',
    find: `  "frame-ancestors 'none'",\n`,
    replace: '',
    test: {
      file: 'server/src/process/console/console.routes.test.ts',
      name: 'sends the page for every address of the console, with a policy against foreign code and frames',
    },
    why: 'Another site could show the console in a frame and steer the clicks of a signed-in operator.',
  },
  {
    name: 'leave-the-brand-unescaped',
    file: 'server/src/process/console/console.routes.ts',
    find: '() => `<title>${escapeHtml(brand.name)}</title>`',
    replace: '() => `<title>${brand.name}</title>`',
    test: {
      file: 'server/src/process/console/console.routes.test.ts',
      name: 'sends the page for every address of the console, with a policy against foreign code and frames',
    },
    why: 'A brand name with markup would break the page.',
  },
];
