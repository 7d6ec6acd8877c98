import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { badRequest, forbidden, unauthorized } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { originNotAllowed, provesSameOrigin } from '../../platform/shared/hosts.ts';
import { portalSessionRoute } from '../portal/portal.routes.ts';
import { codeRoutes } from './codes.routes.ts';
import type { CodeDependencies } from './codes.ts';
import { oidcRoutes } from './oidc.routes.ts';
import type { OidcDependencies } from './oidc.ts';
import { passkeyRoutes } from './passkeys.routes.ts';
import { anyOwnerIsActive } from './people.queries.ts';
import {
  AcceptInvitation,
  ChangePassword,
  Invitation,
  InvitationToken,
  LinkSignIn,
  PasswordSignIn,
  Session,
  SessionEntry,
  SetUp,
  SignInMeans,
} from './people.schemas.ts';
import {
  acceptInvitation,
  type Browser,
  changePassword,
  describeSession,
  endSession,
  listSessions,
  readInvitation,
  type Started,
  setUp,
  signInWithLink,
  signInWithPassword,
} from './people.ts';
import { secondFactorRoutes } from './second-factor.routes.ts';
import { isOnLoopback, readSessionCookie, sessionCookie } from './session-cookie.ts';
import { deleteSessions } from './sessions.queries.ts';

interface Dependencies extends CodeDependencies, OidcDependencies {
  notifications: Pick<Notifications, 'publish'>;
}

const base = '/api/openapi/session';
const tag = 'Signing in';
const maxUserAgent = 200;

export const peopleRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    const { db, notifications, outbox, oidc } = deps;

    // A page of another site must not sign a browser in as somebody else.
    app.addHook('onRequest', ({ method, headers, routeOptions }, _reply, done) => {
      const isForeign =
        routeOptions.config.access === 'public' && method === 'POST' && !provesSameOrigin(headers);
      done(isForeign ? forbidden(originNotAllowed.reason, originNotAllowed.message) : undefined);
    });

    /** Gives the browser the cookie of the session that `start` begins. */
    const signIn = async (
      request: FastifyRequest,
      reply: FastifyReply,
      start: (browser: Browser) => Promise<Started>,
    ) => {
      const isSecure = requireSecure(request);
      const { token, session } = await start(browserOf(request));
      notifications.publish('person-changed', session.user.id);
      reply.header('set-cookie', sessionCookie(token, isSecure));
      return success(session);
    };

    const signedIn = (request: FastifyRequest) => {
      const { keyId, session } = requireActor(request);
      if (session === undefined) throw unauthorized('invalidToken');
      return { ...session, userId: keyId.slice('user:'.length) };
    };

    /** An operation that begins a session. */
    const startsSession = <Body extends TSchema>(spec: {
      id: string;
      summary: string;
      description: string;
      body: Body;
    }) =>
      operation({ errors: [401, 403, 429], ...spec, data: Session, tag, access: 'public', extension: true });

    const own = { tag, access: 'session', extension: true } as const;

    app.get(
      `${base}/means`,
      operation({
        id: 'getSignInMeans',
        summary: 'Read how people can sign in',
        description: 'Tells nothing about anybody.',
        tag,
        access: 'public',
        extension: true,
        data: SignInMeans,
      }),
      async () =>
        success({
          password: true,
          code: outbox !== null,
          oidc: oidc !== null,
          set_up: !(await anyOwnerIsActive(db)),
        }),
    );

    app.get(
      base,
      operation({
        ...own,
        id: 'getSession',
        summary: 'Read who is signed in',
        description: 'With the memberships among which `X-Parley-Team` chooses.',
        data: Session,
      }),
      async (request) => success(await describeSession(db, signedIn(request))),
    );

    app.post(
      `${base}/password`,
      startsSession({
        id: 'signInWithPassword',
        summary: 'Sign in with a password',
        description:
          'Sets the cookie of a session that ends after 12 hours without use, and after 30 days. The response is the same for a wrong password and for an unknown address. An account may try 10 times a minute from a network. A person with a second factor gets 403 `second_factor_needed` without `second_factor`.',
        body: PasswordSignIn,
      }),
      async (request, reply) =>
        signIn(request, reply, (browser) => signInWithPassword(deps, browser, request.body)),
    );

    app.put(
      `${base}/password`,
      operation({
        ...own,
        id: 'changePassword',
        summary: 'Change the own password',
        description:
          'All sessions of the person end, and a new one begins. Without `current_password`, only if `password_settable` is true.',
        body: ChangePassword,
        data: Session,
      }),
      async (request, reply) =>
        signIn(request, reply, (browser) => changePassword(deps, signedIn(request), browser, request.body)),
    );

    app.post(
      `${base}/setup`,
      startsSession({
        id: 'setUp',
        summary: 'Create the first owner of the deployment',
        description:
          'The token is in the link that a start without an owner prints to its terminal and writes to `first-sign-in.txt` in `DATA_DIR`.',
        body: SetUp,
      }),
      async (request, reply) => signIn(request, reply, (browser) => setUp(deps, browser, request.body)),
    );

    app.post(
      `${base}/invitation`,
      operation({
        id: 'readInvitation',
        summary: 'Read an invitation',
        description: 'Does not use it up.',
        errors: [401, 403, 429],
        tag,
        access: 'public',
        extension: true,
        body: InvitationToken,
        data: Invitation,
      }),
      async (request) => success(await readInvitation(deps, browserOf(request), request.body.token)),
    );

    app.post(
      `${base}/invitation/accept`,
      startsSession({
        id: 'acceptInvitation',
        summary: 'Accept an invitation',
        description: 'Sets a password and signs in. Another sign-in with the same address stays as it is.',
        body: AcceptInvitation,
      }),
      async (request, reply) =>
        signIn(request, reply, (browser) => acceptInvitation(deps, browser, request.body)),
    );

    app.post(
      `${base}/reset`,
      startsSession({
        id: 'signInWithLink',
        summary: 'Sign in with a link',
        description:
          'The operator makes the link at the machine, or a mail has it. It works once. With `password`, all earlier sessions of the person end.',
        body: LinkSignIn,
      }),
      async (request, reply) =>
        signIn(request, reply, (browser) => signInWithLink(deps, browser, request.body)),
    );

    const shared = { tag, access: 'public', extension: true, errors: [401, 403, 429] } as const;
    const means = { base, shared, browserOf, requireSecure, signIn };
    codeRoutes(app, deps, means);
    oidcRoutes(app, deps, means);
    secondFactorRoutes(app, deps, { base, own, signedIn });
    passkeyRoutes(app, deps, { ...means, own, signedIn });
    portalSessionRoute(app, deps, base);

    app.delete(
      base,
      operation({
        ...own,
        id: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session of this browser.',
        data: Message,
      }),
      async (request, reply) => {
        const { id, personId } = signedIn(request);
        await db.transaction().execute((tx) => endSession(tx, personId, id));
        notifications.publish('person-changed', personId);
        reply.header('set-cookie', [sessionCookie(null, true), sessionCookie(null, false)]);
        return success({ message: 'Signed out' });
      },
    );

    app.get(
      `${base}/list`,
      operation({
        ...own,
        id: 'listSessions',
        summary: 'List the own sessions, newest first',
        description: 'The last 50 that have not ended.',
        data: Type.Array(SessionEntry),
      }),
      async (request) => success(await listSessions(db, signedIn(request))),
    );

    app.delete(
      `${base}/list`,
      operation({
        ...own,
        id: 'endOtherSessions',
        summary: 'End all other sessions',
        description: 'The session of this request stays.',
        data: Message,
      }),
      async (request) => {
        const { id, personId } = signedIn(request);
        await db.transaction().execute((tx) => deleteSessions(tx, personId, id));
        notifications.publish('person-changed', personId);
        return success({ message: 'Other sessions ended' });
      },
    );

    app.delete(
      `${base}/list/:id`,
      operation({
        ...own,
        id: 'endSession',
        summary: 'End one of the own sessions',
        description: 'Within 5 seconds, its cookie is refused by every process.',
        resource: 'session',
        data: Message,
      }),
      async (request) => {
        const { personId } = signedIn(request);
        await db.transaction().execute((tx) => endSession(tx, personId, pathParameter(request)));
        notifications.publish('person-changed', personId);
        return success({ message: 'Session ended' });
      },
    );
  };

/** A proxy that is not trusted hides https, but the browser tells. */
const isOverHttps = ({ protocol, headers }: FastifyRequest): boolean =>
  protocol === 'https' || headers.origin?.startsWith('https://') === true;

/** Returns whether it came over https. */
function requireSecure(request: FastifyRequest): boolean {
  const isSecure = isOverHttps(request);
  if (!isSecure && !isOnLoopback(request.headers))
    throw badRequest('https_needed', 'People sign in over https, or on the machine itself');
  return isSecure;
}

const browserOf = ({ ip, headers }: FastifyRequest): Browser => ({
  address: ip,
  userAgent: headers['user-agent']?.slice(0, maxUserAgent) ?? null,
  cookie: readSessionCookie(headers),
});
