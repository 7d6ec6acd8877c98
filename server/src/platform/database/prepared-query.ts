import type pg from 'pg';
import { serialize } from 'pg-protocol';

export type StatementResult = Pick<pg.QueryResult, 'rows' | 'rowCount' | 'command'>;
export type StatementCallback = (error: Error | null | undefined, result?: StatementResult) => void;

export interface NamedStatement {
  name: string;
  text: string;
  values: readonly unknown[];
}

interface Field {
  name: string;
  parse(text: string): unknown;
}

interface RowDescription {
  fields: readonly { name: string; dataTypeID: number }[];
}
interface DataRow {
  fields: readonly (string | null)[];
}

export class PreparedStatements {
  readonly #byConnection = new WeakMap<pg.Connection, Map<string, readonly Field[]>>();
  /** One list of fields per statement, shared by all connections. */
  readonly #latest = new Map<string, { signature: string; fields: readonly Field[] }>();
  readonly #parserFor: (type: number) => Field['parse'];

  constructor(parserFor: (type: number) => Field['parse']) {
    this.#parserFor = parserFor;
  }

  on(connection: pg.Connection): Map<string, readonly Field[]> {
    const known = this.#byConnection.get(connection) ?? new Map<string, readonly Field[]>();
    this.#byConnection.set(connection, known);
    return known;
  }

  fieldsOf(statement: string, description: RowDescription): readonly Field[] {
    const signature = description.fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join();
    const latest = this.#latest.get(statement);
    if (latest?.signature === signature) return latest.fields;
    const fields = description.fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#parserFor(dataTypeID),
    }));
    this.#latest.set(statement, { signature, fields });
    return fields;
  }
}

/** Requests row descriptions once per connection and writes all messages at once (decision 9). */
export class PreparedQuery implements pg.Submittable {
  readonly #statements: PreparedStatements;
  readonly #statement: NamedStatement;
  readonly #callback: StatementCallback;
  readonly #rows: Record<string, unknown>[] = [];
  #prepared = new Map<string, readonly Field[]>();
  #fields: readonly Field[] = [];
  #tag = '';

  constructor(statements: PreparedStatements, statement: NamedStatement, callback: StatementCallback) {
    this.#statements = statements;
    this.#statement = statement;
    this.#callback = callback;
  }

  /** Returns an error instead of throwing it, as pg's client expects. */
  submit(connection: pg.Connection): Error | null {
    if (!connection.stream.writable) return new Error('Connection terminated');
    const { name, text, values } = this.#statement;
    this.#prepared = this.#statements.on(connection);
    const fields = this.#prepared.get(name);
    this.#fields = fields ?? [];
    try {
      const bind = serialize.bind({ statement: name, values: values.map(encodeParameter) });
      const messages =
        fields === undefined
          ? [...prepare(name, text), bind, serialize.describe({ type: 'P', name: '' })]
          : [bind];
      connection.stream.write(Buffer.concat([...messages, executeAndSync]));
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  handleRowDescription(description: RowDescription): void {
    this.#fields = this.#statements.fieldsOf(this.#statement.name, description);
  }

  handleDataRow({ fields: texts }: DataRow): void {
    const row: Record<string, unknown> = {};
    let index = 0;
    for (const { name, parse } of this.#fields) {
      const text = texts[index] ?? null;
      row[name] = text === null ? null : parse(text);
      index += 1;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#tag = text;
  }

  handleReadyForQuery(): void {
    this.#prepared.set(this.#statement.name, this.#fields);
    const [command = ''] = this.#tag.split(' ');
    const count = Number(this.#tag.slice(this.#tag.lastIndexOf(' ') + 1));
    this.#callback(null, { rows: this.#rows, rowCount: Number.isNaN(count) ? null : count, command });
  }

  handleError(error: Error): void {
    // A migration changed the columns of the result. The next execution prepares the statement again.
    if ('routine' in error && error.routine === 'RevalidateCachedQuery')
      this.#prepared.delete(this.#statement.name);
    this.#callback(error);
  }
}

const executeAndSync = Buffer.concat([serialize.execute({}), serialize.sync()]);

/** Closes the name first, because an attempt that failed after its parse leaves the statement behind. */
const prepare = (name: string, text: string) => [
  serialize.close({ type: 'S', name }),
  serialize.parse({ name, text }),
];

/** Returns a statement's parameter in PostgreSQL's text format; bytes stay bytes. */
function encodeParameter(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return asBuffer(value);
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? encodeArray(value) : JSON.stringify(value);
}

const encodeArray = (items: readonly unknown[]): string => `{${items.map(encodeItem).join()}}`;

function encodeItem(item: unknown): string {
  if (Array.isArray(item)) return encodeArray(item);
  if (item instanceof Uint8Array) return `"\\\\x${asBuffer(item).toString('hex')}"`;
  const encoded = encodeParameter(item);
  return encoded === null ? 'NULL' : `"${String(encoded).replaceAll(/[\\"]/g, '\\$&')}"`;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
