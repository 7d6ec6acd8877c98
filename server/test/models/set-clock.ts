import pg from 'pg';

/** The clock of one database. It advances only on request. */
export interface SetClock {
  /** Seconds since `clockStart`. */
  now(): number;
  advance(seconds: number): Promise<void>;
  /** Makes the database appear to have just started. */
  restart(): Promise<void>;
  /** Seconds since `clockStart`. Initially one day before it. */
  startedAt(): number;
  close(): Promise<void>;
}

export const clockStart = '2026-11-21T12:00:00Z';

/**
 * Replaces `now()` and the server's start time in a database, also in column defaults. Call it before other connections
 * open. The clock begins at `clockStart`.
 */
export async function setClock(databaseUrl: string): Promise<SetClock> {
  await installClock(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let seconds = 0;
  let started = -86_400;
  return {
    now: () => seconds,
    async advance(more) {
      seconds += more;
      await client.query('update clock.reading set now = now + make_interval(secs => $1)', [more]);
    },
    startedAt: () => started,
    async restart() {
      started = seconds;
      await client.query('update clock.reading set started = now');
    },
    close: () => client.end(),
  };
}

/**
 * Puts the clock's schema before pg_catalog in the search path. Column defaults are bound to the original function, so
 * they are changed too.
 */
async function installClock(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: defaults } = await client.query<{ statement: string }>(
      `select format('alter table %I alter column %I set default clock.now()', table_name, column_name) as statement
       from information_schema.columns where table_schema = 'public' and column_default = 'now()'`,
    );
    await client.query(`
      create schema clock;
      create table clock.reading as
        select timestamptz '${clockStart}' as now, timestamptz '${clockStart}' - interval '1 day' as started;
      create function clock.now() returns timestamptz stable language sql as 'select now from clock.reading';
      create function clock.pg_postmaster_start_time() returns timestamptz stable language sql
        as 'select started from clock.reading';
      ${defaults.map(({ statement }) => statement).join(';\n')};
      do $$ begin
        execute format('alter database %I set search_path = clock, pg_catalog, public', current_database());
      end $$`);
  } finally {
    await client.end();
  }
}
