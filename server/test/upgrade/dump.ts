import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrator.ts';
import { migrationsUpTo } from './migrations-up-to.ts';

/** Only schemas of Parley's own migrations. The job library's schema has no data that must survive. */
const tablesQuery = `
  select c.oid, format('%I.%I', n.nspname, c.relname) as name,
         array(select quote_ident(attname) from pg_attribute
               where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'embedded_provider')
  order by 2`;

const sequencesQuery = `
  select format('select setval(%L, %s);', format('%I.%I', schemaname, sequencename), last_value) as statement
  from pg_sequences where schemaname in ('public', 'embedded_provider') and last_value is not null order by 1`;

/** Returns the rows of all tables as gzipped INSERT statements. */
export async function dumpDatabase(url: string): Promise<Buffer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const { name, columns } of (await client.query(tablesQuery)).rows) {
      const values = columns.map((column: string) => `quote_nullable(${column}::text)`).join(", ', ', ");
      const { rows } = await client.query(
        `select concat('(', ${values}, ')') as row from ${name} order by 1`,
      );
      if (rows.length === 0) continue;
      lines.push(
        `insert into ${name} (${columns.join(', ')}) overriding system value values`,
        `${rows.map(({ row }) => row).join(',\n')};`,
      );
    }
    for (const { statement } of (await client.query(sequencesQuery)).rows) lines.push(statement);
    return gzipSync(`${lines.join('\n')}\n`, { level: 9 });
  } finally {
    await client.end();
  }
}

const timestampsQuery = `
  select format('update %I.%I set %s;', n.nspname, c.relname,
                string_agg(format('%1$I = %1$I + $1::interval', a.attname), ', ')) as statement
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where a.atttypid = 'timestamptz'::regtype and a.attnum > 0 and not a.attisdropped and c.relkind = 'r'
    and n.nspname in ('public', 'embedded_provider')
  group by n.nspname, c.relname`;

/**
 * Restores a dump into the empty database at `url` with the schema of that version. Moves its timestamps forward by
 * `agedMs`, as if the old version had stopped just now.
 */
export async function restoreDatabase(
  url: string,
  options: { dump: string; schema: number; agedMs: number },
): Promise<void> {
  await migrate(url, { directory: await migrationsUpTo(options.schema) });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Without foreign keys and triggers, the order of the tables does not matter.
    await client.query('set session_replication_role = replica');
    for (const { name } of (await client.query(tablesQuery)).rows) await client.query(`delete from ${name}`);
    await client.query(gunzipSync(await readFile(options.dump)).toString());
    const { rows } = await client.query(timestampsQuery);
    for (const { statement } of rows)
      await client.query(statement.replaceAll('$1', `'${options.agedMs} ms'`));
    await client.query(`update monthly_usage set month = date_trunc('month', now() at time zone 'utc')`);
  } finally {
    await client.end();
  }
}
