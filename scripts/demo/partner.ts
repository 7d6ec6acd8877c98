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
   * reads. Throws unless the answer is 200.
   */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  authorize(token: string): void;
}

/** Paths beginning with `/simulator` go to the simulated network, all others under the API's prefix. */
export function createPartner(baseUrl: string, show: (exchange: Exchange) => void): Partner {
  let token: string | undefined;
  return {
    authorize(accessToken) {
      token = accessToken;
    },
    async call<Data>(method: string, path: string, body?: unknown) {
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
      // The contract's envelope around what the caller says that the contract answers.
      const envelope = (await response.json()) as { data: Data };
      show({
        method,
        path: url,
        request: multipart ? describeForm(body) : body,
        status: response.status,
        response: envelope,
      });
      if (response.status !== 200)
        throw new Error(`${method} ${url} answered ${response.status}: ${JSON.stringify(envelope)}`);
      return envelope.data;
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
