import type { FastifyRequest } from 'fastify';
import { unauthorized } from './errors.ts';

/** Who calls: always read from the access token, never from the request's own words. */
export interface Actor {
  keyId: string;
  scope: Scope;
}

/** What an actor may see. Every query over tenant tables takes one. */
export type Scope = { kind: 'all' } | { kind: 'team'; teamId: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; null on public routes. */
    actor: Actor | null;
    /** Ids of what the request turned out to be about, beside those in its path; for its line in the log. */
    about: Readonly<Record<string, string>> | null;
  }
}

/** The actor of a request on a route that is not public. */
export function requireActor(request: FastifyRequest): Actor {
  if (request.actor === null) throw unauthorized();
  return request.actor;
}
