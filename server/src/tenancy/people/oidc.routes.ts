import type { App } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import type { SignIn } from './codes.routes.ts';
import { OidcSignIn, OidcStart } from './oidc.schemas.ts';
import { type OidcDependencies, signInWithOidc, startOidc } from './oidc.ts';
import { Session } from './people.schemas.ts';
import { oidcCookie, readOidcCookie } from './session-cookie.ts';

/** Signs people in with the identity provider of the deployment. */
export function oidcRoutes(
  app: App,
  deps: OidcDependencies,
  { base, shared, browserOf, signIn, requireSecure }: SignIn,
): void {
  app.post(
    `${base}/oidc/start`,
    operation({
      ...shared,
      id: 'startOidc',
      summary: 'Begin a sign-in at the identity provider',
      description:
        'Returns an address of the provider, which leads back to `/console/sign-in/oidc`. A cookie binds it to this browser for 10 minutes. Without a provider, 400 `oidc_not_configured`.',
      data: OidcStart,
    }),
    async (request, reply) => {
      const isSecure = requireSecure(request);
      const { secret, state, url } = await startOidc(deps, browserOf(request));
      reply.header('set-cookie', oidcCookie(state, secret, isSecure));
      return success({ url });
    },
  );

  app.post(
    `${base}/oidc`,
    operation({
      ...shared,
      id: 'signInWithOidc',
      summary: 'Sign in with the identity provider',
      description:
        'Takes what the provider appended to the address, once, in the browser that began. A verified address finds the users of the address who are active or invited, the first time; later the account itself does. Others are 403 `not_invited`, unless `OIDC_ALLOWED_DOMAINS` has the domain of the address.',
      body: OidcSignIn,
      data: Session,
    }),
    async (request, reply) => {
      const { body, headers } = request;
      const secret = readOidcCookie(headers, body.state);
      const started = await signIn(request, reply, (browser) =>
        signInWithOidc(deps, browser, { ...body, secret }),
      );
      // After a refusal it stays: the provider may only have been away.
      reply.header('set-cookie', oidcCookie(body.state, null, requireSecure(request)));
      return started;
    },
  );
}
