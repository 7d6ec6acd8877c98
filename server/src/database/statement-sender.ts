import type pg from 'pg';
import { StatementTimedOut } from './connection-errors.ts';
import {
  PreparedQuery,
  PreparedStatements,
  type StatementCallback,
  type StatementResult,
} from './prepared-query.ts';

/** Checks per timeout. A timer per statement would cost more than sending it. */
const checksPerTimeout = 10;

interface Pending {
  /** The number of the last check before the statement was sent. */
  sentAfter: number;
  fail(): void;
}

export class StatementSender {
  readonly #prepared: PreparedStatements;
  readonly #pending = new Set<Pending>();
  readonly #timer: NodeJS.Timeout;
  #checks = 0;

  constructor(timeoutMs: number, parserFor: (type: number) => (text: string) => unknown) {
    this.#prepared = new PreparedStatements(parserFor);
    this.#timer = setInterval(() => this.#failTimedOut(), timeoutMs / checksPerTimeout).unref();
  }

  /** Calls `done`, then settles. After `StatementTimedOut` the caller must close the connection. */
  send(
    client: Pick<pg.PoolClient, 'query'>,
    { name, text, values }: pg.QueryConfig,
    done?: (error: Error | undefined) => void,
  ): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const callback: StatementCallback = (error, result) => {
      if (!this.#pending.delete(pending)) return;
      done?.(error ?? undefined);
      if (result === undefined) reject(error);
      else resolve(result);
    };
    const pending: Pending = { sentAfter: this.#checks, fail: () => callback(new StatementTimedOut()) };
    this.#pending.add(pending);
    if (name !== undefined && values !== undefined)
      client.query(new PreparedQuery(this.#prepared, { name, text, values }, callback));
    else client.query(text, values ?? [], callback);
    return promise;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #failTimedOut(): void {
    this.#checks += 1;
    for (const { sentAfter, fail } of this.#pending) if (this.#checks - sentAfter > checksPerTimeout) fail();
  }
}
