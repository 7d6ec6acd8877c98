import * as client from 'openid-client';
import type { Outbound } from '../../platform/outbound/outbound.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The page of the console that posts code and state. */
  redirectUri: string;
}

/** What binds a sign-in to the browser that began it. */
export interface OidcBinding {
  state: string;
  nonce: string;
  verifier: string;
}

export interface OidcClaims {
  issuer: string;
  subject: string;
  /** Null unless the provider verified it. */
  email: string | null;
  name: string | null;
}

/** The identity provider of the deployment. Both calls throw what `isRefusal` tells apart from a provider that is away. */
export interface OidcProvider {
  authorizationUrl(binding: OidcBinding): Promise<string>;
  exchange(given: { code: string; iss?: string }, binding: OidcBinding): Promise<OidcClaims>;
}

const maxBytes = 1024 * 1024;

/**
 * Asks the provider nothing before somebody signs in, so that the deployment starts without it. `timeoutMs` is for a whole step, which may
 * take several calls.
 */
export function createOidcProvider(
  settings: OidcSettings,
  outbound: Pick<Outbound, 'call'>,
  timeoutMs = 10_000,
): OidcProvider {
  const customFetch = createFetch(outbound, timeoutMs);
  let discovered: Promise<client.Configuration> | undefined;
  const discover = () => {
    discovered ??= client
      .discovery(new URL(settings.issuer), settings.clientId, settings.clientSecret, undefined, {
        [client.customFetch]: customFetch,
        timeout: timeoutMs / 1000,
        execute: [
          client.enableNonRepudiationChecks,
          ...(settings.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  };
  const withDeadline = <Result>(step: Promise<Result>): Promise<Result> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`${settings.issuer} did not respond within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    return Promise.race([step, promise]).finally(() => clearTimeout(timer));
  };
  const steps: OidcProvider = {
    async authorizationUrl({ state, nonce, verifier }) {
      return client.buildAuthorizationUrl(await discover(), {
        redirect_uri: settings.redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    },
    async exchange({ code, iss }, { state, nonce, verifier }) {
      const configuration = await discover();
      const callback = new URL(settings.redirectUri);
      callback.search = new URLSearchParams({
        code,
        state,
        ...(iss === undefined ? {} : { iss }),
      }).toString();
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const inToken = tokens.claims();
      if (inToken === undefined) throw new Error('The provider sent no ID token');
      // Some providers put the address into the token, but only userinfo says whether it is verified.
      const isComplete = inToken['email'] !== undefined && inToken['email_verified'] !== undefined;
      const claims =
        !isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, inToken.sub)
          : inToken;
      const { email } = claims;
      const name = claims.name ?? inToken['name'];
      return {
        issuer: inToken.iss,
        subject: inToken.sub,
        email: typeof email === 'string' && isTrue(claims['email_verified']) ? email : null,
        name: typeof name === 'string' && name.trim() !== '' ? name.trim() : null,
      };
    },
  };
  return {
    authorizationUrl: (binding) => withDeadline(steps.authorizationUrl(binding)),
    exchange: (given, binding) => withDeadline(steps.exchange(given, binding)),
  };
}

/** Amazon Cognito sends a text. */
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true';

/** The provider refuses the code, or its response is not for this sign-in. */
export const isRefusal = (error: unknown): boolean =>
  (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') ||
  (error instanceof client.ClientError && refusals.has(error.code ?? ''));

/** Another issuer, another nonce, or a token that is late. */
const refusals = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

const createFetch =
  (outbound: Pick<Outbound, 'call'>, timeoutMs: number): client.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`${method} is not expected`);
    const text = body instanceof URLSearchParams ? body.toString() : body;
    if (text !== undefined && text !== null && typeof text !== 'string')
      throw new Error('Only text is expected');
    const response = await outbound.call(
      { url, method, headers, ...(typeof text === 'string' ? { body: text } : {}) },
      { maxBytes, timeoutMs, ...(signal === undefined ? {} : { signal }) },
    );
    const isEmpty = [204, 205, 304].includes(response.status);
    const type = response.headers['content-type'];
    return new Response(isEmpty ? null : new Uint8Array(response.body), {
      status: response.status,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
    });
  };
