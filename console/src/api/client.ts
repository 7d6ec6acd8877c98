import { createParley, isParleyError, type Parley } from '@parley/sdk';
import { endSession, getSession, startSession } from './session.ts';

const options = { baseUrl: location.origin, maxRetries: 2, maxDelayMs: 5_000 };

/** Calls the API as the signed-in key. A refused token ends the session. */
export const clientOptions = {
  ...options,
  token: () => getSession()?.token ?? '',
  onResponse({ status }: { status: number }) {
    if (status === 401) endSession();
  },
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
