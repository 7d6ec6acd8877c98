import { setTimeout } from 'node:timers/promises';

/** What a step shows of a call. */
export interface Exchange {
  method: string;
  path: string;
  request: unknown;
  status: number;
  response: unknown;
}

/** What is read of anything that was created. */
export interface Created {
  id: string;
}

/** A partner's system as far as the story needs one: calls the API and shows every call. */
export interface Partner {
  /**
   * `body` is sent as JSON, a `FormData` as multipart. Answers the `data` of the answer, of which the caller says what it
   * reads. What is answered 503 is asked again when that says; throws unless the answer is 200 in the end.
   */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  authorize(token: string): void;
}

/** How often a call is made that is answered 503: nothing was done, and another may succeed. */
const attempts = 4;

/** Paths beginning with `/simulator` go to the simulated network, all others under the API's prefix. */
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
        throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
      // The contract's envelope around what the caller says that the contract answers.
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
