import type { FastifyRequest } from 'fastify';
import type { Scope } from '../database/scopes.ts';
import { unauthorized } from './errors.ts';

/** The authenticated caller. Always derived from the access token, never from request content. */
export interface Actor {
  keyId: string;
  scope: Scope;
  /** Null: all rights within the scope. */
  role: string | null;
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
