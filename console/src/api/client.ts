import {
  createParley,
  isParleyError,
  type Parley,
  type SignInWithCodeInput,
  type SignInWithPasswordInput,
} from '@parley/sdk';
import { pushDevice, rememberPushDevice } from '../lib/push-device.ts';
import {
  endSession,
  forgetTeam,
  getSession,
  headersOf,
  refuseSession,
  startKeySession,
  startPersonSession,
  startPortalSession,
  usableSession,
} from './session.ts';

const options = { baseUrl: location.origin, maxRetries: 2, maxDelayMs: 5_000 };

/** Replaces the token of the client by what the session sends: a person has a cookie instead. */
function inNameOf(session: ReturnType<typeof getSession>, init: RequestInit = {}): RequestInit {
  const { authorization: _, ...headers } = init.headers as Record<string, string>;
  return { ...init, headers: { ...headers, ...headersOf(session) } };
}

/** Sends requests. A refused one asks the user to sign in again. */
export const watched =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    const session = getSession();
    const response = await send(url, inNameOf(session, init));
    if (response.status === 401) refuseSession(session);
    return response;
  };

/** Calls the API in the name of the signed-in user. A refused request is sent once more when the user has signed in again. */
export const clientOptions = {
  ...options,
  token: async () => (await usableSession())?.token ?? '',
  fetch: watched((url, init) => fetch(url, init)),
};

export const api: Parley = createParley(clientOptions);

const asNobody = {
  ...options,
  token: '',
  fetch: (url: string | URL | Request, init?: RequestInit) => fetch(url, inNameOf(null, init)),
};

/** Calls the API as a person, or as nobody yet: its refusals are answers, not the end of a session. */
export const people: Parley = createParley(asNobody);

/** Sends what works once. */
export const peopleOnce: Parley = createParley({ ...asNobody, maxRetries: 0 });

/** Exchanges the key for a token. The secret is not kept. */
export async function signInWithKey(key: { key_id: string; key_secret: string }): Promise<void> {
  startKeySession(await createParley({ ...options, key }).getToken());
}

export async function signInWithPassword(input: SignInWithPasswordInput): Promise<void> {
  startPersonSession(await people.signInWithPassword(input));
}

export async function signInWithCode(input: SignInWithCodeInput): Promise<void> {
  startPersonSession(await people.signInWithCode(input));
}

export async function openPortal(token: string): Promise<void> {
  startPortalSession(await people.openPortal({ token }));
}

/** Continues the session of a person whose cookie the browser has. Returns false if there is none. */
export async function resumeSession(): Promise<boolean> {
  try {
    startPersonSession(await people.getSession());
    return true;
  } catch (error) {
    if (isParleyError(error, 'membership')) {
      forgetTeam();
      return resumeSession();
    }
    return false;
  }
}

export async function signOut(): Promise<void> {
  const device = pushDevice();
  if (getSession()?.person) {
    // The next person at this browser must not get the alerts of the one before.
    if (device !== null) await api.deletePushSubscription({ id: device }).catch(() => undefined);
    rememberPushDevice(null);
    await people.signOut();
  }
  endSession();
}

/** Returns the problem of each field that the API refused, by its path. */
export function issuesOf(error: unknown): Readonly<Record<string, string>> {
  if (!isParleyError(error, 'validation')) return {};
  return Object.fromEntries(error.details.issues.map(({ path, message }) => [path, message]));
}
