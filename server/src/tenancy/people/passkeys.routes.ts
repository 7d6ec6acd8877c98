import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { readHostName } from '../../platform/shared/hosts.ts';
import type { CodeDependencies } from './codes.ts';
import { FreshProof } from './fresh-proof.schemas.ts';
import { requireFreshProof } from './fresh-proof.ts';
import { NewPasskey, Passkey, PasskeyCreation, PasskeyRequest, PasskeySignIn } from './passkeys.schemas.ts';
import {
  addPasskey,
  deletePasskey,
  listPasskeys,
  type Site,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
} from './passkeys.ts';
import { Session } from './people.schemas.ts';
import type { Browser, Started } from './people.ts';

interface Means {
  base: string;
  own: { tag: string; access: 'session'; extension: true };
  shared: { tag: string; access: 'public'; extension: true; errors: readonly (401 | 403 | 429)[] };
  signedIn(request: FastifyRequest): { id: string; personId: string };
  requireSecure(request: FastifyRequest): boolean;
  signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    start: (browser: Browser) => Promise<Started>,
  ): Promise<{ success: true; data: Started['session'] }>;
}

export function passkeyRoutes(
  app: App,
  deps: CodeDependencies,
  { base, own, shared, signedIn, requireSecure, signIn }: Means,
): void {
  const siteOf = (request: FastifyRequest): Site => {
    const { host = '' } = request.headers;
    const scheme = requireSecure(request) ? 'https' : 'http';
    return { host: readHostName(host) ?? '', origin: `${scheme}://${host.toLowerCase()}` };
  };

  app.post(
    `${base}/passkeys/options`,
    operation({
      ...own,
      id: 'startPasskey',
      summary: 'Begin a passkey',
      description:
        'Returns what `navigator.credentials.create()` needs, with a required user verification and a required resident key. 10 minutes after the sign-in, it takes a proof of the person.',
      errors: [429],
      body: FreshProof,
      data: PasskeyCreation,
    }),
    async (request) => {
      const session = signedIn(request);
      const site = siteOf(request);
      await requireFreshProof(deps, session, request.ip, request.body);
      return success(await startPasskey(deps, session.personId, site));
    },
  );

  app.post(
    `${base}/passkeys`,
    operation({
      ...own,
      id: 'createPasskey',
      summary: 'Add a passkey',
      description: 'It signs in at the host name of this request. A person has at most 20.',
      body: NewPasskey,
      data: Passkey,
    }),
    async (request) =>
      success(await addPasskey(deps, signedIn(request).personId, siteOf(request), request.body)),
  );

  app.get(
    `${base}/passkeys`,
    operation({
      ...own,
      id: 'listPasskeys',
      summary: 'List the own passkeys, newest first',
      description: 'Those of all host names.',
      data: Type.Array(Passkey),
    }),
    async (request) => success(await listPasskeys(deps.db, signedIn(request).personId)),
  );

  app.delete(
    `${base}/passkeys/:id`,
    operation({
      ...own,
      id: 'deletePasskey',
      summary: 'Remove one of the own passkeys',
      description: 'It signs in no more. Sessions that it began stay.',
      resource: 'passkey',
      data: Message,
    }),
    async (request) => {
      await deletePasskey(deps.db, signedIn(request).personId, pathParameter(request));
      return success({ message: 'Passkey removed' });
    },
  );

  app.post(
    `${base}/passkey/options`,
    operation({
      ...shared,
      id: 'startPasskeySignIn',
      summary: 'Begin a sign-in with a passkey',
      description: 'Returns what `navigator.credentials.get()` needs, with a required user verification.',
      data: PasskeyRequest,
    }),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return success(await startPasskeySignIn(deps, request.ip, siteOf(request)));
    },
  );

  app.post(
    `${base}/passkey`,
    operation({
      ...shared,
      id: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      description:
        'A whole sign-in: the authenticator has checked the person, so no second factor is asked for.',
      body: PasskeySignIn,
      data: Session,
    }),
    async (request, reply) =>
      signIn(request, reply, (browser) => signInWithPasskey(deps, browser, siteOf(request), request.body)),
  );
}
