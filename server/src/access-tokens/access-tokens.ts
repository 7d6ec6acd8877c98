import { createHmac, createSecretKey } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Scope } from '../http/actor.ts';
import type { Clock } from '../shared/clock.ts';

/** Seconds: `expires_in` of every token. */
export const tokenLifetime = 86_400;

const algorithm = 'HS256';
const audience = 'parley-partner-api';

const encodePart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signing is done here, since jose hands every signature to a thread of its own, which takes longer than all else. */
const header = encodePart({ alg: algorithm, typ: 'JWT' });

/** What a token of ours says. Its scope informs the reader; what a key may do now stands in its row. */
export interface TokenClaims {
  keyId: string;
  expiresAt: Date;
}

export interface AccessTokens {
  /** A JWT for the key, good for `tokenLifetime`. */
  issue(key: { keyId: string; scope: Scope }): string;
  /** Null for anything that is not a token of this deployment, whole, unchanged and not expired. */
  verify(token: string): Promise<TokenClaims | null>;
}

/** `signingKey`: 32 bytes. `installationId` keeps out the tokens of another database under the same key. */
export function createAccessTokens({
  signingKey,
  installationId,
  clock,
}: {
  signingKey: Uint8Array;
  installationId: string;
  clock: Pick<Clock, 'now'>;
}): AccessTokens {
  const key = createSecretKey(signingKey);
  const issuer = `parley:${installationId}`;
  return {
    issue({ keyId, scope }) {
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      const claims = {
        scope: scopeClaim(scope),
        ...teamClaim(scope),
        sub: keyId,
        iss: issuer,
        aud: audience,
        iat: issuedAt,
        exp: issuedAt + tokenLifetime,
      };
      const signed = `${header}.${encodePart(claims)}`;
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    },
    async verify(token) {
      if (!isCanonical(token)) return null;
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          typ: 'JWT',
          issuer,
          audience,
          requiredClaims: ['sub', 'scope', 'iat', 'exp'],
          currentDate: clock.now(),
        });
        // Members that stand twice, or are spelled in another way, are read differently by different readers.
        if (!token.startsWith(`${encodePart(protectedHeader)}.${encodePart(payload)}.`)) return null;
        return Object.keys(protectedHeader).length === 2 ? claimsOf(payload, clock.now()) : null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

const scopeClaim = (scope: Scope): string => (scope.kind === 'all' ? 'global' : 'team');

const teamClaim = (scope: Scope): { team_id?: string } =>
  scope.kind === 'all' ? {} : { team_id: scope.teamId };

/** Milliseconds by which the clock of the process that issued a token may be ahead. */
const clockSkew = 60_000;

/** Null where a claim is not as one is issued. */
function claimsOf({ sub, scope, team_id, aud, iat, exp }: JWTPayload, now: Date): TokenClaims | null {
  const isOfScope =
    scope === 'global' ? team_id === undefined : scope === 'team' && typeof team_id === 'string';
  if (typeof sub !== 'string' || !isOfScope || aud !== audience) return null;
  if (!Number.isSafeInteger(iat) || iat === undefined || exp !== iat + tokenLifetime) return null;
  if (iat * 1000 > now.getTime() + clockSkew) return null;
  return { keyId: sub, expiresAt: new Date(exp * 1000) };
}

/** Base64url leaves bits unused at the end of a part; a token with any of them set is not one that was issued. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part && part !== '')
  );
}
