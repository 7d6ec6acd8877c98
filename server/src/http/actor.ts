import type { FastifyRequest } from 'fastify';
import type { Scope } from '../database/scopes.ts';
import { unauthorized } from './errors.ts';

/** The authenticated caller. Always derived from the access token, never from request content. */
export interface Actor {
  keyId: string;
  scope: Scope;
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
    /** Ids for the request log, in addition to those in the path. */
    logContext: Readonly<Record<string, string>> | null;
  }
}

/** Returns the request's actor. Throws 401 on a public route, which has none. */
export function requireActor(request: FastifyRequest): Actor {
  if (request.actor === null) throw unauthorized();
  return request.actor;
}
