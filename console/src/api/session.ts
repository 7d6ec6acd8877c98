/** Who is signed in. The key's secret is never stored; the token ends with the browser tab. */
export interface Session {
  token: string;
  keyId: string;
  /** The team that the key can access, or null if it can access all teams. */
  teamId: string | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const storageKey = 'console-token';
let current: Session | null = readStored();
const listeners = new Set<() => void>();

export const getSession = (): Session | null => current;

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startSession(token: string): void {
  const session = parseToken(token);
  if (session === null) throw new Error('The token cannot be read');
  sessionStorage.setItem(storageKey, token);
  setSession(session);
}

export function endSession(): void {
  sessionStorage.removeItem(storageKey);
  setSession(null);
}

function setSession(session: Session | null): void {
  current = session;
  for (const listener of listeners) listener();
}

function readStored(): Session | null {
  const token = globalThis.sessionStorage?.getItem(storageKey) ?? null;
  const session = token === null ? null : parseToken(token);
  return session !== null && session.expiresAt > Date.now() ? session : null;
}

/** Reads the claims for display only. The service decides what the token may do. */
function parseToken(token: string): Session | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(atob(part)) as { sub: string; exp: number; team_id?: string };
    return { token, keyId: claims.sub, teamId: claims.team_id ?? null, expiresAt: claims.exp * 1000 };
  } catch {
    return null;
  }
}
