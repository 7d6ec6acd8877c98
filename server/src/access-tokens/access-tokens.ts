import { createHmac, createSecretKey } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Scope } from '../database/scopes.ts';
import type { Clock } from '../shared/clock.ts';

export const tokenLifetime = 86_400;

const algorithm = 'HS256';
const audience = 'parley-partner-api';

const encodePart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Tokens are signed with node:crypto, because jose signs in a thread pool, which is much slower. */
const header = encodePart({ alg: algorithm, typ: 'JWT' });

/** Verified claims. The scope claim is only informative: the key's row decides what the key may do. */
export interface TokenClaims {
  keyId: string;
  expiresAt: Date;
}

export interface AccessTokens {
  /** Returns a JWT that is valid for `tokenLifetime`. */
  issue(key: { keyId: string; scope: Scope }): string;
  /** Returns null unless this deployment issued exactly this token and it has not expired. */
  verify(token: string): Promise<TokenClaims | null>;
}

/** `signingKey`: 32 bytes. `installationId` rejects tokens of another database with the same key. */
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
        // Rejects duplicate or differently encoded members: other JSON parsers may read them differently.
        if (!token.startsWith(`${encodePart(protectedHeader)}.${encodePart(payload)}.`)) return null;
        return Object.keys(protectedHeader).length === 2 ? parseClaims(payload, clock.now()) : null;
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

/** Milliseconds by which the issuing process's clock may be ahead. */
const clockSkew = 60_000;

function parseClaims({ sub, scope, team_id, aud, iat, exp }: JWTPayload, now: Date): TokenClaims | null {
  const hasValidScope =
    scope === 'global' ? team_id === undefined : scope === 'team' && typeof team_id === 'string';
  if (typeof sub !== 'string' || !hasValidScope || aud !== audience) return null;
  if (!Number.isSafeInteger(iat) || iat === undefined || exp !== iat + tokenLifetime) return null;
  if (iat * 1000 > now.getTime() + clockSkew) return null;
  return { keyId: sub, expiresAt: new Date(exp * 1000) };
}

/** Base64url ignores trailing bits of a part. A changed token could otherwise still verify. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part && part !== '')
  );
}
