import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { newId } from '../../shared/ids.ts';
import { requireActor } from '../actor.ts';
import { badRequest } from '../errors.ts';
import { pathParameter } from '../path-parameter.ts';
import type { ClaimedKey } from './idempotency.queries.ts';

/** Printable characters, the space among them. */
export const idempotencyKeyPattern = '^[ -~]{1,255}$';

/** A key is in flight at most this long after its claim; operations end sooner. */
const claimSeconds = 40;

const keyPattern = new RegExp(idempotencyKeyPattern);

/** The request's key with a fresh claim on it, or null when it carries none. */
export function claimedKey(request: FastifyRequest, fingerprint: string | undefined): ClaimedKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    throw badRequest('idempotency_key', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  return {
    apiKeyId: requireActor(request).keyId,
    method: request.method,
    path: pathOf(request),
    key,
    fingerprint: createHash('sha256')
      .update(fingerprint ?? canonicalJson(request.body))
      .digest(),
    claim: newId(),
    claimSeconds,
  };
}

/** The route's, with what it declares as `:name`: the same however the request escapes it, or writes its ids. */
function pathOf(request: FastifyRequest): string {
  const { url = request.url } = request.routeOptions;
  return url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathParameter(request, name)));
}

/** Members in a fixed order, so that equal requests have equal texts. */
function canonicalJson(value: unknown): string {
  const sorted = (_: string, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? '';
}
