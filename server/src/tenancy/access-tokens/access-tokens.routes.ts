import type { Database } from '../../platform/database/database.ts';
import type { ConnectionShares } from '../../platform/http/connection-shares.ts';
import { type ApiError, unauthorized } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { createAttemptCounter, toNetwork } from '../../platform/http/limits/attempts.ts';
import { operation, success } from '../../platform/http/operation.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { checkCredentials } from '../api-keys/credentials.ts';
import type { KeyUses } from '../api-keys/key-uses.ts';
import { AccessToken, Credentials } from './access-tokens.schemas.ts';
import { type AccessTokens, tokenLifetime } from './access-tokens.ts';

/** One exchange of an API key, accepted or refused. */
export interface SignIn {
  keyId: string;
  requestId: string;
  address: string;
  accepted: boolean;
}

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'keyedHashes'>;
  accessTokens: Pick<AccessTokens, 'issue'>;
  keyUses: Pick<KeyUses, 'note'>;
  signIns: { note(signIn: SignIn): void };
  clock: Pick<Clock, 'now'>;
  connectionShares: Pick<ConnectionShares, 'authenticated'>;
}

export const accessTokenRoutes =
  ({ accessTokens, keyUses, signIns, connectionShares, ...credentials }: Dependencies): Routes =>
  (app) => {
    const failedExchanges = createFailedExchanges();
    const reject = (address: string, keyId: string | null): ApiError => {
      const wait = failedExchanges.count(address, keyId);
      return unauthorized('invalidKey', wait > 0 ? { 'retry-after': String(wait) } : {});
    };

    app.setErrorHandler((error, request) => {
      if (!isMalformed(error)) throw error;
      const rejection = reject(request.ip, null);
      throw 'retry-after' in rejection.headers ? rejection : error;
    });

    app.post(
      '/api/openapi/auth/token',
      operation({
        id: 'createAccessToken',
        summary: 'Exchange an API key for an access token',
        description:
          'An address may fail 60 times a minute with one key id and 600 times a minute in all, malformed bodies included. Further failures get 401 with Retry-After. Valid credentials always work.',
        tag: 'Access tokens',
        access: 'public',
        readOnly: true,
        body: Credentials,
        data: AccessToken,
        errors: [401],
      }),
      async (request, reply) => {
        const { key_id: keyId, key_secret: secret } = request.body;
        const key = await checkCredentials(credentials, keyId, secret);
        signIns.note({ keyId, requestId: request.id, address: request.ip, accepted: key !== null });
        if (key === null) throw reject(request.ip, keyId);
        connectionShares.authenticated(request.raw.socket, { keyId, scope: key.scope });
        keyUses.note(keyId);
        reply.header('cache-control', 'no-store');
        return success({
          access_token: accessTokens.issue({
            keyId,
            scope: key.scope,
            role: key.role,
            generation: key.tokenGeneration,
          }),
          token_type: 'Bearer' as const,
          expires_in: tokenLifetime,
        });
      },
    );
  };

/** Errors of the body have a status in 4xx. They are errors of Fastify or of this API. */
function isMalformed(error: unknown): boolean {
  const { status, statusCode } = error as { status?: number; statusCode?: number };
  const code = status ?? statusCode ?? 500;
  return code >= 400 && code < 500 && code !== 401;
}

const maxPerKey = 60;
const maxPerAddress = 600;

/** Counts failures per minute. It never refuses an exchange, so a correct secret works however many others failed. */
interface FailedExchanges {
  /** `keyId` is null for a malformed body. Returns the seconds to wait if a limit is exceeded, otherwise 0. */
  count(address: string, keyId: string | null): number;
}

export function createFailedExchanges(): FailedExchanges {
  const countByAddress = createAttemptCounter(maxPerAddress);
  const countByKey = createAttemptCounter(maxPerKey);
  return {
    count(address, keyId) {
      const network = toNetwork(address);
      const wait = countByAddress(network);
      // An address over its limit takes no room from the windows of others.
      return wait > 0 || keyId === null ? wait : countByKey(`${network} ${keyId}`);
    },
  };
}
