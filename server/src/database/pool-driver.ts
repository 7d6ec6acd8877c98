import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { DatabaseNotReached, StatementTimedOut } from './connection-errors.ts';
import type { StatementResult } from './prepared-query.ts';
import type { StatementSender } from './statement-sender.ts';
import { type StatementBuilder, toQueryResult } from './statements.ts';

/** Hands pg's connections to Kysely for transactions, each wrapped once for as long as it lives. */
export class PoolDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #statements: StatementBuilder;
  readonly #sender: StatementSender;
  readonly #known = new WeakMap<pg.PoolClient, Connection>();

  constructor(pool: pg.Pool, statements: StatementBuilder, sender: StatementSender) {
    this.#pool = pool;
    this.#statements = statements;
    this.#sender = sender;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    const client = await this.#pool.connect().catch((error) => {
      throw new DatabaseNotReached(error);
    });
    const known = this.#known.get(client);
    if (known !== undefined) return known;
    const connection = new Connection(client, this.#statements, this.#sender);
    this.#known.set(client, connection);
    return connection;
  }

  async beginTransaction(connection: Connection): Promise<void> {
    // The pool may hand out a connection before it hears that it broke: all it fails with here is that.
    await connection.say('begin').catch((error) => {
      throw new DatabaseNotReached(error);
    });
  }

  async commitTransaction(connection: Connection): Promise<void> {
    const { command } = await connection.say('commit');
    // After a statement that failed, the server rolls back instead and says so.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    if (connection.inDoubt) return; // and the server rolls back when it ends
    try {
      await connection.say('rollback');
    } catch {
      // What made it necessary is the error that travels; the server rolls back when the connection ends.
      connection.inDoubt = true;
    }
  }

  async releaseConnection({ client, inDoubt }: Connection): Promise<void> {
    client.release(inDoubt);
  }

  async destroy(): Promise<void> {
    // The pool waits for what is under way, which may never be answered.
    await this.#pool.end();
    this.#sender.close();
  }
}

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  /** May still be inside a transaction, or wait for an answer: closed instead of handed out again. */
  inDoubt = false;
  readonly #statements: StatementBuilder;
  readonly #sender: StatementSender;

  constructor(client: pg.PoolClient, statements: StatementBuilder, sender: StatementSender) {
    this.client = client;
    this.#statements = statements;
    this.#sender = sender;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return toQueryResult(this.#ask(this.#statements(query)));
  }

  /** A statement of the transaction's own. */
  say(text: string): Promise<StatementResult> {
    return this.#ask({ text });
  }

  #ask(statement: pg.QueryConfig): Promise<StatementResult> {
    return this.#sender.send(this.client, statement, (error) => {
      if (error instanceof StatementTimedOut) this.inDoubt = true;
    });
  }

  streamQuery(): never {
    throw new TypeError('streaming through cursors is not set up');
  }
}
