import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { asNotReached } from '../database/connection-errors.ts';
import type { Actor } from './actor.ts';
import type { ConnectionShares } from './connection-shares.ts';
import { forbidden, notFound, unauthorized } from './errors.ts';
import type { App } from './fastify-app.ts';

type RouteOptions = FastifyRequest['routeOptions'];

/**
 * Returns the actor of the bearer token, or else of the cookie. Null if it is missing or invalid. Returns no promise if the result
 * is cached.
 */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Actor | null> | Actor | null;

/** The roles that may call an operation. The scope of the caller decides which list applies. */
export interface OperationRoles {
  partner: readonly string[];
  team: readonly string[];
  /** The pages of a portal that need the operation. */
  portal: readonly string[];
}

/** Returns empty lists for an unknown operation. */
export type RolesOf = (operationId: string) => OperationRoles;

/** Requires a token or a cookie. Unknown routes under `/api/openapi/v1` require one too, so that routes cannot be probed without it. */
export function installAuthentication(
  app: App,
  authenticate: Authenticate,
  connectionShares: Pick<ConnectionShares, 'authenticated'>,
): void {
  app.decorateRequest('actor', null);
  // Hooks use callbacks instead of promises because they rarely wait, and every request runs them.
  app.addHook('onRequest', (request, _reply, done) => {
    const access = request.routeOptions.config.access;
    const guarded = request.is404 ? isApiPath(request.url) : access !== 'public';
    if (!guarded) return done();
    const admit = (actor: Actor | null) => {
      request.actor = actor;
      if (actor !== null) connectionShares.authenticated(request.raw.socket, actor);
      done(actor === null ? refuse(request.headers) : undefined);
    };
    const actor = authenticate(request.headers);
    if (actor instanceof Promise) actor.then(admit, (error) => done(asNotReached(error)));
    else admit(actor);
  });
}

const refuse = ({ authorization }: IncomingHttpHeaders) =>
  unauthorized(readBearerToken(authorization) === null ? 'noToken' : 'invalidToken');

export const readBearerToken = (authorization = ''): string | null =>
  /^bearer +(\S.*)$/i.exec(authorization)?.[1] ?? null;

/** Recognizes absolute URLs and escaped paths too. The server's `rewriteUrl` has made every path decodable. */
const isApiPath = (url: string): boolean =>
  decodeURIComponent(removeOrigin(url).split('?')[0] ?? url).startsWith('/api/openapi/v1');

/** Rejects unknown routes (404) and operations or body fields beyond the actor's scope or role (403), before body validation. */
export function installAuthorization(app: App, rolesOf: RolesOf): void {
  const listAllowedMethods = installAllowedMethods(app);
  app.addHook('onRequest', ({ actor, is404, params, routeOptions, url }, reply, done) => {
    if (is404) {
      const methods = listAllowedMethods(url);
      if (methods !== '') reply.header('allow', methods);
    }
    if (is404 || hasEmptyParameter(params)) return done(notFound('route'));
    const inScope = routeOptions.config.access !== 'globalKey' || actor?.scope.kind === 'all';
    if (!inScope) return done(forbidden('scope', 'This operation needs an API key of scope global'));
    if (routeOptions.config.access === 'session' && actor?.session === undefined)
      return done(
        forbidden('session_needed', 'This operation is for people who signed in, not for API keys'),
      );
    done(actor === null || actor.role === null ? undefined : checkRole(actor, routeOptions, rolesOf));
  });
  app.addHook('preValidation', ({ actor, body, routeOptions }, _reply, done) => {
    const { globalMembers = [] } = routeOptions.config;
    if (actor?.scope.kind !== 'team' || typeof body !== 'object' || body === null) return done();
    const forbiddenField = globalMembers.find((member) => Object.hasOwn(body, member));
    done(
      forbiddenField === undefined
        ? undefined
        : forbidden('scope', `Changing ${forbiddenField} needs an API key of scope global`),
    );
  });
}

/** Returns the error for an actor whose role may not call the operation. */
function checkRole({ scope, role, pages }: Actor, { schema, config }: RouteOptions, rolesOf: RolesOf) {
  if (config.access === 'public' || config.access === 'session' || role === null) return undefined;
  const { operationId = '' } = (schema ?? {}) as { operationId?: string };
  const allowed = rolesOf(operationId);
  if (pages !== undefined && !allowed.portal.some((page) => pages.includes(page)))
    return forbidden('role', `This operation belongs to none of the pages ${pages.join(', ')}`);
  const roles = allowed[scope.kind === 'all' ? 'partner' : 'team'];
  if (roles.includes(role)) return undefined;
  const needed = roles.length === 0 ? 'which is open to no role' : `which is open to: ${roles.join(', ')}`;
  return forbidden('role', `The role ${role} may not call this operation, ${needed}`);
}

/** The router matches `/teams/` as `/teams/{id}` with an empty id. */
const hasEmptyParameter = (params: unknown): boolean =>
  Object.values(params as Record<string, string>).includes('');

/** Returns the methods of the routes at a request target, as the value of an `Allow` header. Empty if there are none. */
type ListAllowedMethods = (target: string) => string;

/** Must be installed before the routes. */
function installAllowedMethods(app: App): ListAllowedMethods {
  const routes: { method: string; segments: string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, segments: url.split('/') });
  });
  return (target) => {
    const path = removeOrigin(target).split('?')[0] ?? target;
    const segments = path.split('/').map(decodeURIComponent);
    const methods = routes.filter((route) => matches(route.segments, segments)).map(({ method }) => method);
    return [...new Set(methods)].sort().join(', ');
  };
}

const removeOrigin = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '');

const matches = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
