import type pg from 'pg';
import { databaseName } from './environment.ts';
import type { LoadRequest } from './load.ts';

const requestCount = 100;

/** Returns the average number of statements per request, begin and commit included. Sends the requests one by one. */
export async function countStatements(
  admin: Pick<pg.Client, 'query'>,
  url: string,
  { method, paths, headers, bodies = [] }: LoadRequest,
): Promise<number> {
  const ask = async (turn: number) => {
    const path = paths[turn % paths.length] ?? '/';
    const body = bodies[turn % bodies.length];
    const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  };
  // Work that the load left behind must not be counted.
  await ask(0);
  const { statements } = await countStatementsDuring(admin, databaseName, async () => {
    for (let i = 0; i < requestCount; i++) await ask(i);
  });
  return statements / requestCount;
}

/** Counts the statements of all clients of this database during `work`. */
export async function countStatementsDuring<Result>(
  admin: Pick<pg.Client, 'query'>,
  database: string,
  work: () => Promise<Result>,
): Promise<{ statements: number; result: Result }> {
  await setTracking(admin, 'all');
  await waitUntilIdle(admin, database);
  await admin.query('select pg_stat_statements_reset()');
  const result = await work();
  const { rows } = await admin.query<{ calls: string }>(
    `select coalesce(sum(calls), 0) as calls from pg_stat_statements s
     join pg_database d on d.oid = s.dbid where d.datname = $1 and s.toplevel`,
    [database],
  );
  await setTracking(admin, 'none');
  return { statements: Number(rows[0]?.calls ?? 0), result };
}

async function waitUntilIdle(admin: Pick<pg.Client, 'query'>, database: string): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where datname = $1 and state <> 'idle'`,
      [database],
    );
    if (rowCount === 0) return;
  }
}

async function setTracking(admin: Pick<pg.Client, 'query'>, track: 'all' | 'none'): Promise<void> {
  await admin.query(`alter system set "pg_stat_statements.track" = '${track}'`);
  await admin.query('select pg_reload_conf()');
  // Sessions apply the setting with their next statement, so the signal must arrive before the load.
  for (;;) {
    const { rows } = await admin.query<{ track: string }>(
      `select current_setting('pg_stat_statements.track') as track`,
    );
    if (rows[0]?.track === track) return;
  }
}
