import { createQueryId, PostgresQueryCompiler, type RawBuilder } from 'kysely';
import type { Database, Transaction } from './database.ts';

/** Stands in a statement's text for a value that each call brings. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A statement of a hot path: its text is put together once, from `build`, where `value('id')` stands for what a call
 * brings as `id`. Kysely would put it together with every call, which costs a plain read more than its own work.
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
