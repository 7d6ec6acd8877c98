import {
  type CompiledQuery,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { DatabaseNotReached, StatementTimedOut } from './connection-errors.ts';
import type { PoolDriver } from './pool-driver.ts';
import type { StatementResult } from './prepared-query.ts';
import type { StatementSender } from './statement-sender.ts';
import { type StatementBuilder, toQueryResult } from './statements.ts';

/** Sends statements outside transactions directly to the pool. Kysely's way costs more than a plain read. */
export class PoolExecutor extends DefaultQueryExecutor {
  readonly #pool: pg.Pool;
  readonly #statements: StatementBuilder;
  readonly #sender: StatementSender;

  constructor(pool: pg.Pool, connections: PoolDriver, statements: StatementBuilder, sender: StatementSender) {
    super(new PostgresQueryCompiler(), new PostgresAdapter(), new DefaultConnectionProvider(connections));
    this.#pool = pool;
    this.#statements = statements;
    this.#sender = sender;
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return toQueryResult(this.#send(this.#statements(query)));
  }

  #send(statement: pg.QueryConfig): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    this.#pool.connect((unreachable, client, release) => {
      if (client === undefined) return reject(new DatabaseNotReached(unreachable));
      // The pool drops broken connections itself. A connection whose statement failed can be reused.
      resolve(this.#sender.send(client, statement, (error) => release(error instanceof StatementTimedOut)));
    });
    return promise;
  }
}
