import type { FastifyRequest } from 'fastify';
import { unauthorized } from './errors.ts';

/** The authenticated caller. Always derived from the access token, never from request content. */
export interface Actor {
  keyId: string;
  scope: Scope;
}

/** The teams an actor may see. Every query over tenant tables takes a scope. */
export type Scope = { kind: 'all' } | { kind: 'team'; teamId: string };

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
