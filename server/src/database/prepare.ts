import { createQueryId, PostgresQueryCompiler, type RawBuilder } from 'kysely';
import type { Database, Transaction } from './database.ts';

/** Stands for a value of each call. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a hot statement once. In `build`, `value('id')` stands for the `id` of each call. Kysely would compile it for
 * every call, which costs more than a plain read itself.
 */
export function prepare<Values extends object, Row>(
  build: (value: (name: keyof Values & string) => Slot) => RawBuilder<Row>,
): (db: Database | Transaction, values: Values) => Promise<Row[]> {
  const node = build((name) => new Slot(name)).toOperationNode();
  const compiled = new PostgresQueryCompiler().compileQuery(node, createQueryId());
  return async (db, values) => {
    const parameters = compiled.parameters.map((parameter) =>
      // The type of `build` lets a slot carry names of Values only.
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}
