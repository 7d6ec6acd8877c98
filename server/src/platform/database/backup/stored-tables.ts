import pg from 'pg';

/** Quoted SQL names. */
export interface StoredTable {
  name: string;
  /** Without generated columns. */
  columns: readonly string[];
}

export interface StoredSequence {
  name: string;
  /** Null if the sequence was never used. */
  lastValue: string | null;
}

/** Parley's database has schemas of Parley, of its providers and of the job library. */
export const ownSchemas = `select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`;

/** Written by the migrations, which run before the rows are restored. */
const bookkeeping = ['schema_migrations', 'schema_functions', 'graphile_worker.migrations'];

/** Returns the tables whose rows belong to a backup. Unlogged tables hold nothing that must survive a crash. */
export async function findTables(client: pg.ClientBase): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `select c.oid::regclass::text as name,
            array_agg(quote_ident(a.attname) order by a.attnum) AS columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace in (${ownSchemas})
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and c.oid::regclass::text <> all ($1)
     group by c.oid order by 1`,
    [bookkeeping],
  );
  return rows;
}

export async function findSequences(client: pg.ClientBase): Promise<StoredSequence[]> {
  const { rows } = await client.query<StoredSequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as "lastValue"
     from pg_sequences where quote_ident(schemaname)::regnamespace in (${ownSchemas})`,
  );
  return rows;
}

/** Long statements are normal here. Names of tables are complete, whatever the role's search path. */
export async function connectForBackup(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set search_path = public; set bytea_output = hex',
  );
  return client;
}
