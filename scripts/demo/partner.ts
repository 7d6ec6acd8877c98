import { setTimeout } from 'node:timers/promises';

/** One request with its response. */
export interface Exchange {
  method: string;
  path: string;
  request: unknown;
  status: number;
  response: unknown;
}

export interface Created {
  id: string;
}

/** A partner's system: calls the API and reports every exchange. */
export interface Partner {
  /**
   * Sends `body` as JSON, or a `FormData` as multipart, and returns the `data` of the response. Retries a 503 after its
   * Retry-After. Throws unless the final status is 200.
   */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  authorize(token: string): void;
}

const attempts = 4;

/** Paths that begin with `/api` or `/simulator` are used as they are. All others get the API's prefix. */
export function createPartner(baseUrl: string, show: (exchange: Exchange) => void): Partner {
  let token: string | undefined;
  const request = async (method: string, url: string, body: unknown): Promise<Response> => {
    const multipart = body instanceof FormData;
    const response = await fetch(baseUrl + url, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || multipart ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: multipart ? body : JSON.stringify(body) }),
    });
    show({
      method,
      path: url,
      request: multipart ? describeForm(body) : body,
      status: response.status,
      response: await response.clone().json(),
    });
    return response;
  };
  return {
    authorize(accessToken) {
      token = accessToken;
    },
    async call<Data>(method: string, path: string, body?: unknown) {
      const url = /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`;
      let response = await request(method, url, body);
      for (let attempt = 1; response.status === 503 && attempt < attempts; attempt += 1) {
        await setTimeout(Number(response.headers.get('retry-after') ?? 1) * 1000);
        response = await request(method, url, body);
      }
      if (response.status !== 200)
        throw new Error(`${method} ${url} returned ${response.status}: ${await response.text()}`);
      // The caller names the type that the API description promises.
      const { data } = (await response.json()) as { data: Data };
      return data;
    },
  };
}

const describeForm = (form: FormData) =>
  Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      value instanceof File ? `<${value.name}, ${value.size} bytes>` : value,
    ]),
  );
