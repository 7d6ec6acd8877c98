import type { ClientBase } from 'pg';

const prefix = 'parley notifications';

/** Shows migrations of other versions that this process uses the schema, as long as the connection lives. */
export const showSchemaStatement = (schema: number): string =>
  `set application_name = '${prefix}, schema ${schema}'`;

/** Describes the processes that use the database with a schema older than `version`. Version 0.1.0 does not show its schema. */
export async function findOlderProcesses(
  client: Pick<ClientBase, 'query'>,
  version: number,
): Promise<string[]> {
  const { rows } = await client.query<{ found: string }>(
    `select format('schema %s from %s, process %s of PostgreSQL', coalesce(schema::text, 'unknown'),
                   coalesce(host(client_addr), 'this machine'), pid) as found
     from (select *, substring(application_name from 'schema (\\d+)$')::int as schema from pg_stat_activity
           where datname = current_database() and application_name like $1) process
     where coalesce(schema, 0) < $2 order by pid`,
    [`${prefix}%`, version],
  );
  return rows.map(({ found }) => found);
}
