import { createQueryId, PostgresQueryCompiler, type RawBuilder } from 'kysely';
import type { Database, Transaction } from './database.ts';

class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a hot statement once, because compiling costs more than a plain read. `value('id')` is each call's `id`. Write a
 * list as `(select ${value('ids')}::uuid[])`: otherwise PostgreSQL sees that it is short and plans the statement on each call.
 */
export function prepare<Values extends object, Row>(
  build: (value: (name: keyof Values & string) => Slot) => RawBuilder<Row>,
): (db: Database | Transaction, values: Values) => Promise<Row[]> {
  const node = build((name) => new Slot(name)).toOperationNode();
  const compiled = new PostgresQueryCompiler().compileQuery(node, createQueryId());
  return async (db, values) => {
    const parameters = compiled.parameters.map((parameter) =>
      // Slots have only names of Values.
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}
