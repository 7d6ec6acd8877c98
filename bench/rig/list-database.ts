import pg from 'pg';
import { migrate } from '../../server/src/database/migrator.ts';
import { installJobSchema } from '../../server/src/jobs/job-schema.ts';
import { newDeployment, type ParleyProcess, startParley } from './parley-process.ts';
import type { Rig } from './rig.ts';

/** A migrated database of its own on the run's PostgreSQL. */
export async function createDatabase({ stage }: Pick<Rig, 'stage'>, name: string): Promise<string> {
  await stage.admin.query(`create database ${name}`);
  const url = new URL(stage.databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  await installJobSchema(url.href, { warn: () => undefined, trace: () => undefined });
  return url.href;
}

/** Parley's api on a database that is seeded and vacuumed first, as autovacuum does in time. */
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
 * `count` teams, ten seconds apart, two of three paying. Of each 1,000 one is called Zeppelin and 100 are bicycles.
 * Their names' index is made at the end, which is faster than keeping it and comes to the same.
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

/** A team with `count` documents, a minute apart. Answers its id. */
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
