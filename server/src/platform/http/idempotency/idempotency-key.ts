import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { newId } from '../../shared/ids.ts';
import { requireActor } from '../actor.ts';
import { badRequest } from '../errors.ts';
import { pathParameter } from '../path-parameter.ts';
import type { ClaimedKey } from './idempotency.queries.ts';

export const idempotencyKeyPattern = '^[ -~]{1,255}$';

/** Longer than any step of an operation takes. */
const claimSeconds = 40;

const keyPattern = new RegExp(idempotencyKeyPattern);

/** Returns the request's key with a new claim id, or null without the header. Throws 400 if the key is invalid. */
export function readIdempotencyKey(
  request: FastifyRequest,
  fingerprint: string | undefined,
): ClaimedKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    throw badRequest('idempotency_key', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  return {
    apiKeyId: requireActor(request).keyId,
    method: request.method,
    path: toCanonicalPath(request),
    key,
    fingerprint: createHash('sha256')
      .update(fingerprint ?? toCanonicalJson(request.body))
      .digest(),
    claim: newId(),
    claimSeconds,
  };
}

/** Returns a canonical path: independent of percent escapes and of the case of ids. */
function toCanonicalPath(request: FastifyRequest): string {
  const { url = request.url } = request.routeOptions;
  return url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathParameter(request, name)));
}

function toCanonicalJson(value: unknown): string {
  const sorted = (_: string, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? '';
}
