import pg from 'pg';

/** The number of devices that the rows request in turn. */
const deviceCount = 200;

/** Inserts a team with a bot and its devices on a live, draining pool. Returns the devices' ids. */
export async function seed(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const team = await selectId(
      client,
      `insert into teams (id, name, plan_name, paying)
       values (gen_random_uuid(), 'Harbour bicycles', 'enterprise', true) returning id`,
    );
    await client.query('insert into team_usage (team_id, members) values ($1, 1)', [team]);
    const bot = await selectId(
      client,
      `insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                         chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests,
                         capture_payments, break_lines, questions, ai_provider_id, vector_id)
       values (gen_random_uuid(), $1, 'live', 'Desk', 'assistant', '', '', '', 0.7, 1, false, false, false, false,
               false, '[]', 'assistant', 'store') returning id`,
      [team],
    );
    const pool = await selectId(
      client,
      `insert into pools (id, url, capacity, lease_until, draining)
       values (gen_random_uuid(), 'http://127.0.0.1:4000', 1000, now() + interval '1 day', true) returning id`,
    );
    const { rows } = await client.query<{ id: string }>(
      `insert into devices (id, team_id, bot_id, name, phone_number, pool_id, pool_url)
       select gen_random_uuid(), $1, $2, 'Desk ' || n, '+1555' || lpad(n::text, 6, '0'), $3, 'http://127.0.0.1:4000'
       from generate_series(1, $4) n returning id`,
      [team, bot, pool, deviceCount],
    );
    await client.query('analyze');
    return rows.map((row) => row.id);
  } finally {
    await client.end();
  }
}

async function selectId(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<string> {
  const { rows } = await client.query<{ id: string }>(text, [...values]);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`the statement returned no row: ${text}`);
  return id;
}
