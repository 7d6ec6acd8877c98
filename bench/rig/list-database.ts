import pg from 'pg';
import { migrate } from '../../server/src/platform/database/migrator.ts';
import { installJobSchema } from '../../server/src/platform/jobs/job-schema.ts';
import { newDeployment, type ParleyProcess, startParley } from './parley-process.ts';
import type { Rig } from './rig.ts';

/** Creates a migrated database on the run's PostgreSQL. */
export async function createDatabase(
  { environment }: Pick<Rig, 'environment'>,
  name: string,
): Promise<string> {
  await environment.admin.query(`create database ${name}`);
  const url = new URL(environment.databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  await installJobSchema(url.href, { warn: () => undefined, trace: () => undefined });
  return url.href;
}

/** Seeds and vacuums a database, and starts Parley's api on it. */
export async function serveSeeded(
  rig: Rig,
  databaseUrl: string,
  log: string,
  seed: (client: pg.Client) => Promise<unknown>,
): Promise<ParleyProcess> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await seed(client);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return startParley({ ...rig, deployment: newDeployment(databaseUrl), log, roles: 'api' });
}

/**
 * Inserts `count` teams, ten seconds apart, two of three paying. Of each 1,000, one name contains Zeppelin and 100 contain
 * bicycle. The index of the names is created at the end, which is faster.
 */
export async function seedTeams(client: pg.Client, count: number): Promise<void> {
  const { rows } = await client.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where indexname = 'teams_name_parts'`,
  );
  await client.query('drop index teams_name_parts');
  await client.query(
    `insert into teams (id, name, plan_name, paying, created_at)
     select gen_random_uuid(),
            (array['Corner', 'Harbour', 'Old town', 'River', 'Garden', 'North', 'Sunny', 'Little', 'Royal'])[1 + n % 9]
              || case when n % 1000 = 7 then ' Zeppelin ' when n % 10 = 3 then ' bicycles ' else ' bakery ' end
              || substr(md5(n::text), 1, 6),
            case when n % 3 = 0 then 'free' else 'pro' end, n % 3 <> 0, now() - make_interval(secs => ($1 - n) * 10)
     from generate_series(1, $1::int) n`,
    [count],
  );
  for (const { indexdef } of rows) await client.query(indexdef);
}

/** Inserts a team with `count` documents, a minute apart. Returns the team's id. */
export async function seedDocuments(client: pg.Client, count: number): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into teams (id, name, plan_name, paying)
     values (gen_random_uuid(), 'Reader', 'enterprise', true) returning id`,
  );
  const id = rows[0]?.id ?? '';
  await client.query(
    `insert into documents (id, team_id, state, name, type, size, ai_provider_id, file_key, chars, charged_characters,
                            provider_status, created_at)
     select gen_random_uuid(), $1::uuid, 'live', 'Price list ' || n || '.pdf', 'pdf', 1000, 'file-' || n, ($1::uuid) || '/file-' || n,
            1000, 1000, 'ready', now() - make_interval(mins => n)
     from generate_series(1, $2::int) n`,
    [id, count],
  );
  return id;
}
