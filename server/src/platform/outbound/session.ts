import type { Dispatcher } from 'undici';
import { connectTo, type Transport, untilAborted } from './connect.ts';
import { resolveDestination } from './destination.ts';
import { OutboundError, outboundFailure } from './outbound-error.ts';
import { loadUndici } from './undici.ts';

/** Posts to one URL over connections that stay open. */
export interface OutboundSession {
  /**
   * Returns the status of the response, whose body is dropped. Header values must be ASCII. Does not follow redirects. Rejects
   * with `OutboundError`, also for a body of more than `maxBytes`, or with `SessionClosed`.
   */
  post(
    request: { headers: Readonly<Record<string, string>>; body: string },
    limits: { maxBytes: number; timeoutMs: number },
  ): Promise<number>;
  /** Aborts the posts that are under way. */
  close(): Promise<void>;
}

export class SessionClosed extends Error {
  override readonly name = 'SessionClosed';
}

const connectWithinMs = 15_000;

export function openSession(
  { resolve, openSocket, isAllowed }: Transport,
  address: string,
  connections: number,
): OutboundSession {
  const { origin, pathname, search } = new URL(address);
  const path = `${pathname}${search}`;
  const establish = async () => {
    const deadline = AbortSignal.timeout(connectWithinMs);
    const destination = await untilAborted(deadline, resolveDestination(address, resolve, isAllowed));
    return connectTo(destination, openSocket, deadline);
  };
  const { Pool } = loadUndici();
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    connect: (_, connected) => {
      establish().then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, null),
      );
    },
  });
  const exchanges = new Set<Exchange>();
  return {
    async post({ headers, body }, limits) {
      if (pool.destroyed) throw new SessionClosed();
      const exchange = new Exchange(limits);
      exchanges.add(exchange);
      try {
        pool.dispatch({ origin, path, method: 'POST', headers, body }, exchange);
        return await exchange.status;
      } finally {
        exchanges.delete(exchange);
      }
    },
    async close() {
      for (const exchange of exchanges) exchange.fail(new SessionClosed());
      await pool.destroy();
    },
  };
}

/** One request with its response. A stream and an abort signal for each would cost more than the request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outcome = Promise.withResolvers<number>();
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #bytes = 0;

  constructor({ maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number }) {
    this.#maxBytes = maxBytes;
    const timedOut = () =>
      new OutboundError({ cause: new Error(`${timeoutMs} ms are over`), timedOut: true });
    this.#timer = setTimeout(() => this.fail(timedOut()), timeoutMs);
  }

  get status(): Promise<number> {
    return this.#outcome.promise;
  }

  fail(failure: Error): void {
    clearTimeout(this.#timer);
    this.#failure ??= failure;
    this.#outcome.reject(this.#failure);
    this.#controller?.abort(this.#failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It failed while it waited for its connection.
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.fail(outboundFailure('too_large', `more than ${this.#maxBytes} bytes`));
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#outcome.resolve(this.#status);
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.fail(cause instanceof OutboundError ? cause : new OutboundError({ cause, connectionFailed: true }));
  }
}
