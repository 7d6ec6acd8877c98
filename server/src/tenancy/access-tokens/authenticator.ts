import { hash } from 'node:crypto';
import type { Actor } from '../../platform/http/actor.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { isUsable, type KeyState, type KeyStates } from '../api-keys/key-states.ts';
import type { KeyUses } from '../api-keys/key-uses.ts';
import type { AccessTokens, TokenClaims } from './access-tokens.ts';

const capacity = 10_000;

/** Verifies each token's signature once. Checks the state and the scope of its key on every request. */
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
}): (token: string) => Promise<Actor | null> | Actor | null {
  // Keyed by hash, so that memory holds no token longer than its request.
  const verified = createBoundedMap<string, TokenClaims>(capacity);

  const actorFor = ({ keyId, generation }: TokenClaims, state: KeyState | null, now: Date): Actor | null => {
    // A later generation than the cached one is valid: the cache is out of date.
    if (state === null || !isUsable(state, now) || generation < state.tokenGeneration) return null;
    keyUses.note(keyId);
    return { keyId, scope: state.scope, role: state.role };
  };

  const admit = (claims: TokenClaims): Promise<Actor | null> | Actor | null => {
    const now = clock.now();
    if (claims.expiresAt <= now) return null;
    const state = keyStates.get(claims.keyId);
    return state instanceof Promise
      ? state.then((loaded) => actorFor(claims, loaded, now))
      : actorFor(claims, state, now);
  };

  const verify = async (token: string, digest: string): Promise<Actor | null> => {
    const claims = await accessTokens.verify(token);
    if (claims === null) return null;
    verified.set(digest, claims);
    return admit(claims);
  };

  return (token) => {
    const digest = hash('sha256', token, 'base64');
    const claims = verified.get(digest);
    return claims === undefined ? verify(token, digest) : admit(claims);
  };
}
