import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { auditContext } from './audit-context.ts';
import { DatabaseNotReached, StatementTimedOut } from './connection-errors.ts';
import type { StatementResult } from './prepared-query.ts';
import type { StatementSender } from './statement-sender.ts';
import { type StatementBuilder, toQueryResult } from './statements.ts';

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
    // Fails only when the pool has not noticed yet that the connection broke.
    const audited = auditContext.getStore() ?? null;
    const begin =
      audited === null
        ? 'begin'
        : `begin; select set_config('parley.audit', ${pg.escapeLiteral(audited)}, true)`;
    await connection.runCommand(begin).catch((error) => {
      throw new DatabaseNotReached(error);
    });
  }

  async commitTransaction(connection: Connection): Promise<void> {
    const { command } = await connection.runCommand('commit');
    // After a failed statement the server rolls back instead.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    if (connection.inDoubt) return; // the server rolls back when the connection ends
    try {
      await connection.runCommand('rollback');
    } catch {
      // The caller gets the original error. The server rolls back when the connection ends.
      connection.inDoubt = true;
    }
  }

  async releaseConnection({ client, inDoubt }: Connection): Promise<void> {
    client.release(inDoubt);
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
    this.#sender.close();
  }
}

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  /** Possibly still inside a transaction or waiting for a response. Such a connection is closed, not reused. */
  inDoubt = false;
  readonly #statements: StatementBuilder;
  readonly #sender: StatementSender;

  constructor(client: pg.PoolClient, statements: StatementBuilder, sender: StatementSender) {
    this.client = client;
    this.#statements = statements;
    this.#sender = sender;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return toQueryResult(this.#send(this.#statements(query)));
  }

  runCommand(text: string): Promise<StatementResult> {
    return this.#send({ text });
  }

  #send(statement: pg.QueryConfig): Promise<StatementResult> {
    return this.#sender.send(this.client, statement, (error) => {
      if (error instanceof StatementTimedOut) this.inDoubt = true;
    });
  }

  streamQuery(): never {
    throw new TypeError('streaming is not supported');
  }
}
