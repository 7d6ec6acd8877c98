import type { ApiKey } from '@parley/sdk';

export type Role = NonNullable<ApiKey['role']>;

/** Who is signed in. The key's secret is never stored; the token ends with the browser tab. */
export interface Session {
  token: string;
  keyId: string;
  /** The team that the key can access, or null if it can access all teams. */
  teamId: string | null;
  /** What the key may do. Null: everything within its scope. */
  role: Role | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const storageKey = 'console-token';
let current: Session | null = readStored();
/** While the service refuses the session. The pages stay as they are until the user has signed in again. */
let isRefused = false;
const listeners = new Set<() => void>();

export const getSession = (): Session | null => current;

export const isSessionRefused = (): boolean => isRefused;

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startSession(token: string): void {
  const session = parseToken(token);
  if (session === null) throw new Error('The token cannot be read');
  sessionStorage.setItem(storageKey, token);
  // Pages of one actor must not be shown to another one.
  if (isRefused && !isSameActor(current, session)) location.reload();
  else setSession(session);
}

export function endSession(): void {
  sessionStorage.removeItem(storageKey);
  setSession(null);
}

/** Asks to sign in again, because the service refused this session. */
export function refuseSession(refused: Session | null): void {
  // The answer to an earlier request may arrive when the user has already signed in again.
  if (refused === null || refused !== current) return;
  sessionStorage.removeItem(storageKey);
  isRefused = true;
  notify();
}

/** Resolves once the service does not refuse the session, so that requests go on after the user has signed in again. */
export function usableSession(): Promise<Session | null> {
  if (!isRefused) return Promise.resolve(current);
  const { promise, resolve } = Promise.withResolvers<Session | null>();
  const unsubscribe = subscribeToSession(() => {
    if (isRefused) return;
    unsubscribe();
    resolve(current);
  });
  return promise;
}

function setSession(session: Session | null): void {
  current = session;
  isRefused = false;
  notify();
}

function notify(): void {
  for (const listener of [...listeners]) listener();
}

const isSameActor = (one: Session | null, other: Session): boolean => one?.keyId === other.keyId;

function readStored(): Session | null {
  const token = globalThis.sessionStorage?.getItem(storageKey) ?? null;
  const session = token === null ? null : parseToken(token);
  return session !== null && session.expiresAt > Date.now() ? session : null;
}

/** Reads the claims for display only. The service decides what the token may do. */
function parseToken(token: string): Session | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(atob(part)) as { sub: string; exp: number; team_id?: string; role?: Role };
    return {
      token,
      keyId: claims.sub,
      teamId: claims.team_id ?? null,
      role: claims.role ?? null,
      expiresAt: claims.exp * 1000,
    };
  } catch {
    return null;
  }
}
