import { createParley } from '@parley/sdk';

export interface Created {
  id: string;
}

/** A partner's system that calls the API by method and path. */
export interface Partner {
  /**
   * Returns the `data` of the response. Throws unless the final status is 200. Paths that begin with `/api` or `/simulator`
   * are used as they are. All others get the API's prefix.
   */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  authorize(token: string): void;
  token(): string;
}

export function createPartner(baseUrl: string): Partner {
  let token = '';
  const parley = createParley({ baseUrl, token: () => token });
  return {
    authorize(accessToken) {
      token = accessToken;
    },
    token: () => token,
    call: (method, path, body) =>
      parley.request({
        method,
        path: /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`,
        body,
      }),
  };
}
