import pg from 'pg';

type Answered = (error: Error | null | undefined, result: pg.QueryResult) => void;

/** How a statement's rows are read, in the members where pg keeps what it makes of a description. */
interface Shape {
  fields: readonly { name: string; dataTypeID: number }[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** pg's own query, as far as it is refined here. */
interface Query {
  name: string | undefined;
  _result: Shape;
  _accumulateRows: boolean;
  /** Answers what is wrong with it, if anything. */
  submit(connection: pg.Connection): unknown;
  handleRowDescription(message: unknown): void;
}

// pg's types leave these members out. The version is pinned, and without them the tests of this file fail.
const Query = pg.Query as unknown as new (text: string, values: unknown[], answered: Answered) => Query;

/** What one connection has prepared. */
interface Prepared {
  shapes: Map<string, Shape>;
  /** The connection, but that it asks for no description. */
  undescribing: pg.Connection;
}

/** What the connections of a pool know of the rows of the statements that they have prepared. */
export class Descriptions {
  readonly #connections = new WeakMap<pg.Connection, Prepared>();
  /** Kept once, however many connections prepare the statement. */
  readonly #latest = new Map<string, Shape>();

  of(connection: pg.Connection): Prepared {
    const known = this.#connections.get(connection);
    if (known !== undefined) return known;
    const undescribing: pg.Connection = Object.create(connection, { describe: { value: () => undefined } });
    const prepared = { shapes: new Map<string, Shape>(), undescribing };
    this.#connections.set(connection, prepared);
    return prepared;
  }

  /** The one to keep for all connections, as long as they read the same rows. */
  shared(name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Shape): Shape {
    const latest = this.#latest.get(name);
    if (latest !== undefined && isSame(latest.fields, fields)) return latest;
    const shape = { fields, _parsers, _prebuiltEmptyResultObject };
    this.#latest.set(name, shape);
    return shape;
  }
}

/**
 * pg has each execution of a prepared statement described anew, which costs the server, the line and this process more
 * than a row of some columns itself. Here the first description holds for as long as the connection: PostgreSQL refuses
 * to execute a prepared statement whose rows would be others.
 */
export class PreparedQuery extends Query {
  readonly #descriptions: Descriptions;
  #prepared: Prepared | undefined;

  constructor(descriptions: Descriptions, { name, text, values = [] }: pg.QueryConfig, answered: Answered) {
    super(text, values, answered);
    this.name = name;
    this.#descriptions = descriptions;
  }

  override submit(connection: pg.Connection): unknown {
    this.#prepared = this.#descriptions.of(connection);
    const shape = this.name === undefined ? undefined : this.#prepared.shapes.get(this.name);
    if (shape === undefined) return super.submit(connection);
    this._result.fields = shape.fields;
    this._result._parsers = shape._parsers;
    this._result._prebuiltEmptyResultObject = shape._prebuiltEmptyResultObject;
    this._accumulateRows = true;
    return super.submit(this.#prepared.undescribing);
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    this.#prepared?.shapes.set(this.name, this.#descriptions.shared(this.name, this._result));
  }
}

const isSame = (one: Shape['fields'], other: Shape['fields']): boolean =>
  one.length === other.length &&
  one.every(({ name, dataTypeID }, n) => name === other[n]?.name && dataTypeID === other[n]?.dataTypeID);
