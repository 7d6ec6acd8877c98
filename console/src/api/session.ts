import type { ApiKey, Session as PersonSession, PortalSession } from '@parley/sdk';
import { tabStorage } from '../lib/storage.ts';

export type Role = NonNullable<ApiKey['role']>;

/**
 * Who is signed in: a person, whose cookie no script can read, or an API key or a portal, whose token ends with the browser tab. The
 * key's secret is never stored.
 */
export interface Session {
  /** Empty for a person. */
  token: string;
  /** Null for a person and in a portal. */
  keyId: string | null;
  /** Null for a key and in a portal. */
  person: PersonSession | null;
  portal: PortalSession | null;
  /** The team that the actor can access, or null if it can access all teams. */
  teamId: string | null;
  /** What the actor may do. Null: everything within its scope. */
  role: Role | null;
}

/** Below this address the console is a portal: it shows one team, and a page of another site may frame it. */
export const portalPath = '/console/portal';
export const isPortal = /^\/console\/portal(\/|$)/.test(globalThis.location?.pathname ?? '');

const tokenName = 'console-token';
const portalName = 'console-portal';
/** The team that this tab shows to a person of several teams; `partner` for the staff. */
const teamName = 'console-team';

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

export function startKeySession(token: string): void {
  const session = parseToken(token);
  if (session === null) throw new Error('The token cannot be read');
  tabStorage.setItem(tokenName, token);
  start(session);
}

export function startPortalSession(portal: PortalSession): void {
  tabStorage.setItem(portalName, JSON.stringify(portal));
  start(ofPortal(portal));
}

function ofPortal(portal: PortalSession): Session {
  const { access_token: token, team, role } = portal;
  return { token, keyId: null, person: null, portal, teamId: team.id, role };
}

export function startPersonSession(person: PersonSession): void {
  tabStorage.removeItem(tokenName);
  start({
    token: '',
    keyId: null,
    person,
    portal: null,
    teamId: person.team?.id ?? null,
    role: person.role,
  });
}

/** The headers by which the service knows the actor. */
export function headersOf(session: Session | null): Record<string, string> {
  if (session !== null && session.token !== '') return { authorization: `Bearer ${session.token}` };
  const team = tabStorage.getItem(teamName);
  return team === null ? {} : { 'x-parley-team': team };
}

/** Shows another team of the person in this tab. */
export function chooseTeam(team: string | null): void {
  tabStorage.setItem(teamName, team ?? 'partner');
  location.assign('/console');
}

export const forgetTeam = (): void => tabStorage.removeItem(teamName);

export function endSession(): void {
  tabStorage.removeItem(tokenName);
  forgetTeam();
  setSession(null);
}

/** Asks to sign in again, because the service refused this session. */
export function refuseSession(refused: Session | null): void {
  // The answer to an earlier request may arrive when the user has already signed in again.
  if (refused === null || refused !== current) return;
  tabStorage.removeItem(tokenName);
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

function start(session: Session): void {
  // Pages of one actor must not be shown to another one.
  if (isRefused && actorOf(current) !== actorOf(session)) location.reload();
  else setSession(session);
}

function setSession(session: Session | null): void {
  current = session;
  isRefused = false;
  notify();
}

function notify(): void {
  for (const listener of [...listeners]) listener();
}

/** The id of the key, the portal or the person. */
export const actorOf = (session: Session | null): string | undefined =>
  session?.keyId ?? session?.portal?.id ?? session?.person?.user.id;

function readStored(): Session | null {
  if (isPortal) {
    const portal = tabStorage.getItem(portalName);
    // A link in the address begins another session.
    return portal === null || location.hash !== '' ? null : ofPortal(JSON.parse(portal) as PortalSession);
  }
  const token = tabStorage.getItem(tokenName);
  return token === null ? null : parseToken(token);
}

/** Reads the claims for display only. The service decides what the token may do. */
function parseToken(token: string): Session | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(atob(part)) as { sub: string; exp: number; team_id?: string; role?: Role };
    if (claims.exp * 1000 <= Date.now()) return null;
    return {
      token,
      keyId: claims.sub,
      person: null,
      portal: null,
      teamId: claims.team_id ?? null,
      role: claims.role ?? null,
    };
  } catch {
    return null;
  }
}
