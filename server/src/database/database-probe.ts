import pg from 'pg';

/** Writes and reads a row in a temporary table. Rejects if the database refuses it. */
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
    const { rows } = await client.query<{ value: number; version: string }>(
      "select value, current_setting('server_version') as version from doctor_probe",
    );
    await client.query('rollback');
    if (rows[0]?.value !== 42) throw new Error('read another value than was written');
    return { serverVersion: rows[0].version, milliseconds: performance.now() - started };
  } finally {
    await client.end();
  }
}

/** Returns how far the replica is behind in bytes of the log. Throws unless it replicates the given installation. */
export async function probeReplica(url: string, installationId: string): Promise<{ bytesBehind: number }> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; replica: boolean; behind: string | null }>(
      `select id, pg_is_in_recovery() as replica,
              case when pg_is_in_recovery() then pg_last_wal_receive_lsn() - pg_last_wal_replay_lsn() end as behind
       from installation`,
    );
    const [row] = rows;
    if (row?.id !== installationId) throw new Error('it holds the data of another deployment');
    if (!row.replica) throw new Error('it is a primary, not a replica');
    return { bytesBehind: Number(row.behind ?? 0) };
  } finally {
    await client.end();
  }
}
