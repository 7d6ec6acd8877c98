import { checkCredentials } from '../api-keys/credentials.ts';
import type { KeyUses } from '../api-keys/key-uses.ts';
import type { Database } from '../database/database.ts';
import { unauthorized } from '../http/errors.ts';
import type { Routes } from '../http/fastify-app.ts';
import { operation, success } from '../http/operation.ts';
import type { Clock } from '../shared/clock.ts';
import type { Encryption } from '../shared/encryption.ts';
import { AccessToken, Credentials } from './access-tokens.schemas.ts';
import { type AccessTokens, tokenLifetime } from './access-tokens.ts';
import { createFailedExchanges } from './failed-exchanges.ts';

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'keyedHash'>;
  accessTokens: Pick<AccessTokens, 'issue'>;
  keyUses: Pick<KeyUses, 'note'>;
  clock: Pick<Clock, 'now'>;
}

export const accessTokenRoutes =
  ({ accessTokens, keyUses, ...credentials }: Dependencies): Routes =>
  (app) => {
    const failedExchanges = createFailedExchanges();

    app.post(
      '/api/openapi/auth/token',
      operation({
        id: 'createAccessToken',
        summary: 'Exchange an API key for an access token',
        description:
          'After 60 failures within a minute, an address gets 401 with Retry-After for the rest of that minute.',
        tag: 'Access tokens',
        access: 'public',
        readOnly: true,
        body: Credentials,
        data: AccessToken,
      }),
      async (request, reply) => {
        const { key_id: keyId, key_secret: secret } = request.body;
        const { result: scope, lockedFor } = await failedExchanges.attempt(request.ip, () =>
          checkCredentials(credentials, keyId, secret),
        );
        if (lockedFor > 0) throw unauthorized({ 'retry-after': String(lockedFor) });
        if (scope === null) throw unauthorized();
        keyUses.note(keyId);
        reply.header('cache-control', 'no-store');
        return success({
          access_token: accessTokens.issue({ keyId, scope }),
          token_type: 'Bearer' as const,
          expires_in: tokenLifetime,
        });
      },
    );
  };
