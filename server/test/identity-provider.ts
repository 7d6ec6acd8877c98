import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import Provider from 'oidc-provider';

export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  /** Claims of the ID token, which otherwise has only `sub`. Userinfo has the others. */
  inToken?: Record<string, unknown>;
}

/**
 * A real provider of OpenID Connect on a free port. It stops after the file's tests. Every name signs in at its pages, and
 * `accounts` has its claims.
 */
export async function startIdentityProvider(redirectUri: string) {
  const accounts = new Map<string, Account>();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'parley',
        client_secret: 'secret-of-parley',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['cookies of the test'] },
    pkce: { required: () => true },
    // The ID token gets what `claims` returns for it, too.
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({
      accountId: sub,
      claims(use) {
        const { inToken = {}, ...claims } = accounts.get(sub) ?? {};
        return use === 'id_token' ? { ...inToken, sub } : { ...claims, sub };
      },
    }),
  });
  server.on('request', provider.callback());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  after(close);
  return {
    issuer,
    accounts,
    close,
    /** Signs the account in at the address, and returns where the provider sends the browser. */
    async signIn(url: string, account: Account): Promise<URL> {
      accounts.set(account.sub, account);
      const cookies = new Map<string, string>();
      let next = new URL(url);
      const visit = async (body?: URLSearchParams) => {
        const response = await fetch(next, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
          ...(body === undefined ? {} : { method: 'POST', body }),
        });
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) return response.text();
        next = new URL(location, next);
        return null;
      };
      for (let step = 0; step < 12; step += 1) {
        if (next.href.startsWith(redirectUri)) return next;
        const page = await visit();
        if (page === null) continue;
        const prompt = page.includes('name="login"') ? 'login' : 'consent';
        await visit(new URLSearchParams({ prompt, login: account.sub, password: 'x' }));
      }
      throw new Error(`The provider stays at ${next.href}`);
    },
  };
}
