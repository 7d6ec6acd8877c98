import { hash } from 'node:crypto';
import { isUsable, type KeyStates } from '../api-keys/key-states.ts';
import type { KeyUses } from '../api-keys/key-uses.ts';
import type { Authenticate } from '../http/authentication.ts';
import { createBoundedMap } from '../shared/bounded-map.ts';
import type { Clock } from '../shared/clock.ts';
import type { AccessTokens, TokenClaims } from './access-tokens.ts';

/** Tokens whose signature was checked already. */
const capacity = 10_000;

/**
 * Who a token speaks for. The signature is checked once per token; whether its key is still there, active and not
 * expired, and what it may see, is looked up with every request.
 */
export function createAuthenticator({
  accessTokens,
  keyStates,
  keyUses,
  clock,
}: {
  accessTokens: Pick<AccessTokens, 'verify'>;
  keyStates: Pick<KeyStates, 'get'>;
  keyUses: Pick<KeyUses, 'note'>;
  clock: Pick<Clock, 'now'>;
}): Authenticate {
  // Kept under their hash: the memory of the process holds no token longer than its request.
  const verified = createBoundedMap<string, TokenClaims>(capacity);

  const claimsOf = async (token: string): Promise<TokenClaims | null> => {
    const digest = hash('sha256', token, 'base64');
    const known = verified.get(digest);
    if (known !== undefined) return known;
    const claims = await accessTokens.verify(token);
    if (claims !== null) verified.set(digest, claims);
    return claims;
  };

  return async (token) => {
    const claims = await claimsOf(token);
    const now = clock.now();
    if (claims === null || claims.expiresAt <= now) return null;
    const state = await keyStates.get(claims.keyId);
    if (state === null || !isUsable(state, now)) return null;
    keyUses.note(claims.keyId);
    return { keyId: claims.keyId, scope: state.scope };
  };
}
