import { asNotReached } from '../database/connection-errors.ts';
import type { Actor } from './actor.ts';
import type { App } from './app.ts';
import { forbidden, notFound, unauthorized } from './errors.ts';

/** Answers who a token speaks for, or null for any token that is not good now. */
export type Authenticate = (token: string) => Promise<Actor | null> | Actor | null;

/**
 * Runs before anything of the request is looked at: 401. Under `/api/openapi/v1` a route that does not exist asks for a
 * token too, so that nobody can tell routes apart without one.
 */
export function installAuthentication(app: App, authenticate: Authenticate): void {
  app.decorateRequest('actor', null);
  // With callbacks rather than promises, here and in the other hooks of every request: nearly none has to wait.
  app.addHook('onRequest', (request, _reply, done) => {
    const access = request.routeOptions.config.access;
    const guarded = request.is404 ? isBelowApi(request.url) : access !== 'public';
    if (!guarded) return done();
    const admit = (actor: Actor | null) => {
      request.actor = actor;
      done(actor === null ? unauthorized() : undefined);
    };
    const token = bearerOf(request.headers.authorization);
    const actor = token === null ? null : authenticate(token);
    if (actor instanceof Promise) actor.then(admit, (error) => done(asNotReached(error)));
    else admit(actor);
  });
}

/** What stands behind `Bearer` and one blank or more, be it a token or not. */
const bearerOf = (authorization = ''): string | null => /^bearer +(.+)$/i.exec(authorization)?.[1] ?? null;

/** However the path is written, behind a host too: one that cannot be decoded does not come this far. */
const isBelowApi = (url: string): boolean =>
  decodeURIComponent(pathOf(url).split('?')[0] ?? url).startsWith('/api/openapi/v1');

/** The path and the query of what may be a whole address, as for a proxy. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/?]*/i, '');

/**
 * A route that does not exist is 404, whatever its body holds; what the actor's scope does not allow is 403, also where
 * only members of the body are beyond it, and the body is faulty besides.
 */
export function installAuthorization(app: App): void {
  app.addHook('onRequest', ({ actor, is404, params, routeOptions }, _reply, done) => {
    if (is404 || lacksParameter(params)) return done(notFound('route'));
    const allowed = routeOptions.config.access !== 'all' || actor?.scope.kind === 'all';
    done(allowed ? undefined : forbidden('scope', 'This operation needs an API key of scope global'));
  });
  app.addHook('preValidation', ({ actor, body, routeOptions }, _reply, done) => {
    const { globalMembers = [] } = routeOptions.config;
    if (actor?.scope.kind !== 'team' || typeof body !== 'object' || body === null) return done();
    const beyond = globalMembers.find((member) => Object.hasOwn(body, member));
    done(
      beyond === undefined
        ? undefined
        : forbidden('scope', `Changing ${beyond} needs an API key of scope global`),
    );
  });
}

/** The router takes `/teams/` for `/teams/{id}` with nothing as the id. */
const lacksParameter = (params: unknown): boolean =>
  Object.values(params as Record<string, string>).includes('');
