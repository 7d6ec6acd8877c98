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

/** Returns the token of the session. The plain name counts only on the machine itself. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  const { cookie } = headers;
  if (cookie === undefined) return null;
  const found = new Map<string, string>();
  for (const part of cookie.split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    if (!found.has(name)) found.set(name, value);
  }
  return found.get(secureName) ?? (isOnLoopback(headers) ? found.get(plainName) : undefined) ?? null;
}

/** Without a token, the cookie ends. */
export function sessionCookie(token: string | null, isSecure: boolean): string {
  const lifetime = token === null ? 0 : maxSeconds;
  const cookie = `${isSecure ? secureName : plainName}=${token ?? ''}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax`;
  return isSecure ? `${cookie}; Secure` : cookie;
}
