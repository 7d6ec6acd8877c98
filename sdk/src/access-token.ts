import type { ApiKeyCredentials, ParleyOptions } from './types.ts';

export interface IssuedToken {
  access_token: string;
  /** Seconds. */
  expires_in: number;
}

export interface Tokens {
  /** Returns a token that is valid for at least a minute. Concurrent calls share one exchange. */
  get(): Promise<string>;
  /** Forgets a token that the service refused. Returns true if `get` may return another one. */
  discard(token: string): boolean;
}

const renewBeforeMs = 60_000;

export function createTokens(
  options: ParleyOptions,
  exchange: (key: ApiKeyCredentials) => Promise<IssuedToken>,
): Tokens {
  const { token, key }: { token?: string | (() => string | Promise<string>); key?: ApiKeyCredentials } =
    options;
  if (token !== undefined) {
    return typeof token === 'string'
      ? { get: async () => token, discard: () => false }
      : { get: async () => token(), discard: () => true };
  }
  if (key === undefined) throw new TypeError('createParley needs a key or a token');
  const { key_id, key_secret } = key;
  let current: Promise<{ token: string; renewAt: number }> | undefined;
  /** The token of `current` once it is known. */
  let issued: string | undefined;

  const renew = async () => {
    issued = undefined;
    const { access_token: token, expires_in } = await exchange({ key_id, key_secret });
    issued = token;
    return { token, renewAt: Date.now() + expires_in * 1000 - renewBeforeMs };
  };

  const get = async (): Promise<string> => {
    const used = current ?? renew();
    current = used;
    const forget = () => {
      if (current === used) current = undefined;
    };
    const { token, renewAt } = await used.catch((error) => {
      forget();
      throw error;
    });
    if (Date.now() < renewAt) return token;
    forget();
    return get();
  };

  return {
    get,
    discard(refused) {
      // Another call may have renewed it already.
      if (refused === issued) current = undefined;
      return true;
    },
  };
}
