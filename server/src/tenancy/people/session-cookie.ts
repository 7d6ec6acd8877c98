import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback, readHostName } from '../../platform/shared/hosts.ts';

/** Tokens of cookies and of links: 256 random bits. The database has only their hashes. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A browser accepts this name only over https, without a domain, so that no neighbouring host can set it. */
const secureName = '__Host-parley_session';
const plainName = 'parley_session';

const maxSeconds = 30 * 86_400;

export const isOnLoopback = ({ host = '' }: IncomingHttpHeaders): boolean =>
  isLoopback(readHostName(host) ?? '');

function readCookies(headers: IncomingHttpHeaders): Map<string, string> {
  const { cookie } = headers;
  if (cookie === undefined) return new Map();
  const found = new Map<string, string>();
  for (const part of cookie.split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    if (!found.has(name)) found.set(name, value);
  }
  return found;
}

/** Returns the token of the session. The plain name counts only on the machine itself. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  const found = readCookies(headers);
  return found.get(secureName) ?? (isOnLoopback(headers) ? found.get(plainName) : undefined) ?? null;
}

/** Without a token, the cookie ends. */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  const lifetime = token === null ? 0 : maxSeconds;
  const cookie = `${isSecure ? secureName : plainName}=${token ?? ''}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`;
  return isSecure ? `${cookie}; Secure` : cookie;
}

/** Each sign-in at the identity provider has a cookie of its own, so that two tabs do not disturb each other. */
const oidcCookieName = (state: string, isSecure: boolean): string =>
  `${isSecure ? '__Host-' : ''}parley_oidc_${state.slice(0, 16)}`;

const oidcSeconds = 600;

export function readOidcCookie(headers: IncomingHttpHeaders, state: string): string | null {
  const found = readCookies(headers);
  const plain = isOnLoopback(headers) ? found.get(oidcCookieName(state, false)) : undefined;
  return found.get(oidcCookieName(state, true)) ?? plain ?? null;
}

/** Without a secret, the cookie ends. */
export function oidcCookie(state: string, secret: string | null, isSecure: boolean): string {
  const lifetime = secret === null ? 0 : oidcSeconds;
  const cookie = `${oidcCookieName(state, isSecure)}=${secret ?? ''}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`;
  return isSecure ? `${cookie}; Secure` : cookie;
}
