import type pg from 'pg';
import { StatementTimedOut } from './connection-errors.ts';
import {
  PreparedQuery,
  PreparedStatements,
  type StatementCallback,
  type StatementResult,
} from './prepared-query.ts';
import type { FindLate } from './silence.ts';

/** Most statements take milliseconds. */
const lateAfterMs = 2_000;
const longestIntervalMs = 500;

interface Pending {
  client: pg.ClientBase;
  /** The number of the last check before the statement was sent. */
  sentAfter: number;
  fail(): void;
}

export class StatementSender {
  readonly #prepared: PreparedStatements;
  readonly #pending = new Set<Pending>();
  readonly #timeoutChecks: number;
  readonly #lateChecks: number;
  readonly #onLate: (findLate: FindLate) => void;
  readonly #timer: NodeJS.Timeout;
  #checks = 0;

  /** Calls `onLate` about every half second while a statement is late. */
  constructor(
    timeoutMs: number,
    parserFor: (type: number) => (text: string) => unknown,
    onLate: (findLate: FindLate) => void,
  ) {
    this.#prepared = new PreparedStatements(parserFor);
    this.#onLate = onLate;
    // A timer per statement would cost more than sending it.
    const intervalMs = Math.min(timeoutMs / 10, longestIntervalMs);
    this.#timeoutChecks = timeoutMs / intervalMs;
    this.#lateChecks = lateAfterMs / intervalMs;
    this.#timer = setInterval(() => this.#check(), intervalMs).unref();
  }

  /** Calls `done`, then settles. After `StatementTimedOut` the caller must close the connection. */
  send(
    client: pg.ClientBase,
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
    const pending: Pending = {
      client,
      sentAfter: this.#checks,
      fail: () => callback(new StatementTimedOut()),
    };
    this.#pending.add(pending);
    if (name !== undefined && values !== undefined)
      client.query(new PreparedQuery(this.#prepared, { name, text, values }, callback));
    else client.query(text, values ?? [], callback);
    return promise;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    this.#checks += 1;
    let isLate = false;
    for (const { sentAfter, fail } of this.#pending) {
      const waited = this.#checks - sentAfter;
      if (waited > this.#timeoutChecks) fail();
      else if (waited > this.#lateChecks) isLate = true;
    }
    if (isLate) this.#onLate(() => this.#findLate());
  }

  #findLate(): pg.ClientBase[] {
    const late = [...this.#pending].filter(({ sentAfter }) => this.#checks - sentAfter > this.#lateChecks);
    return late.map(({ client }) => client);
  }
}
