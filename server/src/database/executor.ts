import {
  type CompiledQuery,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { DatabaseNotReached, StatementUnanswered } from './connection-errors.ts';
import type { Connections } from './connections.ts';
import type { Sender } from './sender.ts';
import { resultOf, type Statements } from './statements.ts';

/**
 * Sends a statement outside a transaction straight to the pool. Kysely would check a connection out and in around it, in
 * ten promises, which cost a plain read more than its own work.
 */
export class Executor extends DefaultQueryExecutor {
  readonly #pool: pg.Pool;
  readonly #statements: Statements;
  readonly #sender: Sender;

  constructor(pool: pg.Pool, connections: Connections, statements: Statements, sender: Sender) {
    super(new PostgresQueryCompiler(), new PostgresAdapter(), new DefaultConnectionProvider(connections));
    this.#pool = pool;
    this.#statements = statements;
    this.#sender = sender;
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return resultOf(this.#send(this.#statements(query)));
  }

  #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    this.#pool.connect((unreachable, client, release) => {
      if (client === undefined) return reject(new DatabaseNotReached(unreachable));
      // The pool drops a connection that broke by itself; one whose statement failed is as good as before.
      resolve(this.#sender.ask(client, statement, (error) => release(error instanceof StatementUnanswered)));
    });
    return promise;
  }
}
