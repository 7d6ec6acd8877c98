import pg from 'pg';

/** Writes and reads a row in a temporary table. Rejects if the database refuses it, or refuses to create tables. */
export async function probeDatabase(
  databaseUrl: string,
): Promise<{ serverVersion: string; milliseconds: number }> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const started = performance.now();
    await client.query('begin');
    await client.query('create temporary table doctor_probe (value int) on commit drop');
    await client.query('insert into doctor_probe values (42)');
    const { rows } = await client.query<{ value: number; version: string; creates: boolean; name: string }>(
      `select value, current_setting('server_version') as version, current_user as name,
              has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as creates
       from doctor_probe`,
    );
    await client.query('rollback');
    if (rows[0]?.value !== 42) throw new Error('read another value than was written');
    if (!rows[0].creates)
      throw new Error(
        `${rows[0].name} may not create tables: grant create on schema public to ${rows[0].name}`,
      );
    return { serverVersion: rows[0].version, milliseconds: performance.now() - started };
  } finally {
    await client.end();
  }
}

/** Returns how many bytes of the log the replica has not replayed. Throws unless it replicates the given installation. */
export async function probeReplica(
  urls: { primary: string; replica: string },
  installationId: string,
): Promise<{ bytesBehind: number }> {
  // A replica whose replication has stopped does not know how far it is behind.
  const [written] = await queryOnce<{ lsn: string }>(urls.primary, 'select pg_current_wal_lsn() as lsn');
  const [found] = await queryOnce<{ id: string; replica: boolean; behind: string | null }>(
    urls.replica,
    `select id, pg_is_in_recovery() as replica, pg_wal_lsn_diff($1, pg_last_wal_replay_lsn()) as behind
     from installation`,
    [written?.lsn],
  );
  if (found?.id !== installationId) throw new Error('it holds the data of another deployment');
  if (!found.replica) throw new Error('it is a primary, not a replica');
  return { bytesBehind: Math.max(0, Number(found.behind ?? 0)) };
}

async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
