/** What a step shows of a call. */
export interface Exchange {
  method: string;
  path: string;
  request: unknown;
  status: number;
  response: unknown;
}

/** A partner's system as far as the story needs one: calls the API and shows every call. */
export interface Partner {
  /** `body` is sent as JSON, a `FormData` as multipart. Throws unless the answer is 200. */
  call(method: string, path: string, body?: unknown): Promise<Envelope>;
  authorize(token: string): void;
}

interface Envelope {
  // biome-ignore lint/suspicious/noExplicitAny: the story reads members of many shapes, as a partner's script would
  data: any;
}

/** Paths beginning with `/simulator` go to the simulated network, all others under the API's prefix. */
export function createPartner(baseUrl: string, show: (exchange: Exchange) => void): Partner {
  let token: string | undefined;
  return {
    authorize(accessToken) {
      token = accessToken;
    },
    async call(method, path, body) {
      const url = /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`;
      const multipart = body instanceof FormData;
      const response = await fetch(baseUrl + url, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined || multipart ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: multipart ? body : JSON.stringify(body) }),
      });
      const envelope = (await response.json()) as Envelope;
      show({
        method,
        path: url,
        request: multipart ? describeForm(body) : body,
        status: response.status,
        response: envelope,
      });
      if (response.status !== 200)
        throw new Error(`${method} ${url} answered ${response.status}: ${JSON.stringify(envelope)}`);
      return envelope;
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
