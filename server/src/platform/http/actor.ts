import type { FastifyRequest } from 'fastify';
import type { Scope } from '../database/scopes.ts';
import { unauthorized } from './errors.ts';

/** The authenticated caller. Always derived from the access token or the cookie, never from request content. */
export interface Actor {
  /** The id of the API key. For a person, `user:` and the id of the user. In a portal, `portal:` and the id of its link. */
  keyId: string;
  scope: Scope;
  /** Null: all rights within the scope. */
  role: string | null;
  /** Only for a person: the session of the cookie. */
  session?: { id: string; personId: string };
  /** Only in a portal: the pages whose operations the actor may call. */
  pages?: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
    logContext: Readonly<Record<string, string>> | null;
  }
}

export function requireActor(request: FastifyRequest): Actor {
  if (request.actor === null) throw unauthorized('invalidToken');
  return request.actor;
}
