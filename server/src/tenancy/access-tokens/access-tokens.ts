import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Scope } from '../../platform/database/scopes.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Role } from '../roles/roles.ts';

export const tokenLifetime = 86_400;

const algorithm = 'HS256';
const audience = 'parley-partner-api';

const encodePart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Tokens are signed with node:crypto, because jose signs in a thread pool, which is much slower. */
const header = encodePart({ alg: algorithm, typ: 'JWT' });

/** Verified claims. The claims of scope and role are only informative: the key's row decides what the key may do. */
export interface TokenClaims {
  keyId: string;
  /** That of the key when it was exchanged. Deactivating the key ends its generation. */
  generation: number;
  expiresAt: Date;
}

export interface AccessTokens {
  /** Returns a JWT that is valid for `tokenLifetime`. */
  issue(key: { keyId: string; scope: Scope; role?: Role | null; generation: number }): string;
  /** Returns null unless this deployment issued exactly this token and it has not expired. */
  verify(token: string): Promise<TokenClaims | null>;
}

/**
 * `signingKey` has 32 bytes. Tokens signed with `olderSigningKeys` are valid, too. Because of `installationId`, tokens of another
 * database with the same key are not.
 */
export function createAccessTokens({
  signingKey,
  olderSigningKeys = [],
  installationId,
  clock,
}: {
  signingKey: Uint8Array;
  olderSigningKeys?: readonly Uint8Array[];
  installationId: string;
  clock: Pick<Clock, 'now'>;
}): AccessTokens {
  const key = createSecretKey(signingKey);
  const keys = [key, ...olderSigningKeys.map((older) => createSecretKey(older))];
  const issuer = `parley:${installationId}`;
  return {
    issue({ keyId, scope, role = null, generation }) {
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      const claims = {
        scope: scopeClaim(scope),
        ...teamClaim(scope),
        ...(role === null ? {} : { role }),
        ...(generation === 0 ? {} : { gen: generation }),
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
      const verifyWith = (candidate: KeyObject) =>
        jwtVerify(token, candidate, {
          algorithms: [algorithm],
          typ: 'JWT',
          issuer,
          audience,
          requiredClaims: ['sub', 'scope', 'iat', 'exp'],
          currentDate: clock.now(),
        });
      try {
        const { payload, protectedHeader } = await verifyWith(
          keys.find((k) => isSignedWith(token, k)) ?? key,
        );
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

/** The header names no key, so find it by the signature. jose then verifies the token completely. */
function isSignedWith(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.');
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
  const given = Buffer.from(token.slice(end + 1), 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const scopeClaim = (scope: Scope): string => (scope.kind === 'all' ? 'global' : 'team');

const teamClaim = (scope: Scope): { team_id?: string } =>
  scope.kind === 'all' ? {} : { team_id: scope.teamId };

/** Milliseconds by which the issuing process's clock may be ahead. */
const clockSkew = 60_000;

function parseClaims(
  { sub, scope, team_id, gen = 0, aud, iat, exp }: JWTPayload,
  now: Date,
): TokenClaims | null {
  const hasValidScope =
    scope === 'global' ? team_id === undefined : scope === 'team' && typeof team_id === 'string';
  if (typeof sub !== 'string' || !hasValidScope || aud !== audience) return null;
  if (!Number.isSafeInteger(iat) || iat === undefined || exp !== iat + tokenLifetime) return null;
  if (typeof gen !== 'number' || !Number.isSafeInteger(gen) || gen < 0) return null;
  if (iat * 1000 > now.getTime() + clockSkew) return null;
  return { keyId: sub, generation: gen, expiresAt: new Date(exp * 1000) };
}

/** Base64url ignores trailing bits of a part. A changed token could otherwise still verify. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part && part !== '')
  );
}
