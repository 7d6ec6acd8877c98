import { createParley, isParleyError, type Parley } from '@parley/sdk';
import { getSession, refuseSession, startSession, usableSession } from './session.ts';

const options = { baseUrl: location.origin, maxRetries: 2, maxDelayMs: 5_000 };

/** Sends requests. A refused one asks the user to sign in again. */
export const watched =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    const session = getSession();
    const response = await send(url, init);
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

/** Exchanges the key for a token. The secret is not kept. */
export async function signIn(key: { key_id: string; key_secret: string }): Promise<void> {
  startSession(await createParley({ ...options, key }).getToken());
}

/** Returns the problem of each field that the API refused, by its path. */
export function issuesOf(error: unknown): Readonly<Record<string, string>> {
  if (!isParleyError(error, 'validation')) return {};
  return Object.fromEntries(error.details.issues.map(({ path, message }) => [path, message]));
}
