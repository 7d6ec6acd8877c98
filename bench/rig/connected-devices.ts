import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

interface Reached {
  /** Of Parley's api, which forwards to the simulated network. */
  url: string;
  databaseUrl: string;
  token: string;
}

/** More active messages a month than any load sends. */
const plan = {
  features: { allowActiveMessaging: true },
  active_messages_monthly: 1_000_000_000,
  paying: true,
  quotas: { bots: 1, accounts: 1, characters: 1_000_000, documents: 10, members: 1, credits: 1_000_000_000 },
};

const deadlineMs = 120_000;

/** Messages that the devices have sent before: an empty table is planned for, and read, in another way. */
const history = 50_000;

export interface ConnectedDevice {
  id: string;
  /** That it is linked to. */
  phone: string;
}

/** Makes as many teams, each with a device that is linked, connected and has sent before. Answers the devices' ids. */
export async function connectDevices(reached: Reached, teams: number): Promise<string[]> {
  const devices = (await connectTeams(reached, teams, null)).map(({ id }) => id);
  const client = new pg.Client({ connectionString: reached.databaseUrl });
  await client.connect();
  try {
    await writeHistory(client, devices);
  } finally {
    await client.end();
  }
  return devices;
}

/** What a bot says at once to who asks it. */
export interface Answers {
  questions: readonly { question: string; answer: string }[];
}

/** Makes as many teams, each with a bot, published where it has `answers`, and a device that is linked and connected. */
export async function connectTeams(
  reached: Reached,
  teams: number,
  answers: Answers | null,
): Promise<ConnectedDevice[]> {
  const client = new pg.Client({ connectionString: reached.databaseUrl });
  await client.connect();
  try {
    await call(reached, 'PUT', '/api/openapi/v1/plans/bench', plan);
    const devices: ConnectedDevice[] = [];
    for (let n = 0; n < teams; n++) devices.push(await connectTeam(reached, client, n, answers));
    await until(async () => {
      const ids = devices.map(({ id }) => id);
      const { rowCount } = await client.query('select from devices where id = any($1) and connected', [ids]);
      return rowCount === teams;
    });
    return devices;
  } finally {
    await client.end();
  }
}

async function connectTeam(
  reached: Reached,
  client: pg.Client,
  n: number,
  answers: Answers | null,
): Promise<ConnectedDevice> {
  const { team } = await call<{ team: { id: string } }>(reached, 'POST', '/api/openapi/v1/teams', {
    user: { name: 'Ada Jensen', email: 'ada@example.com' },
    team: { name: `Harbour bicycles ${n}`, plan_name: 'bench' },
  });
  const bot = await call<{ id: string }>(reached, 'POST', '/api/openapi/v1/bots', {
    team_id: team.id,
    name: 'Desk',
    ...answers,
  });
  if (answers !== null) {
    await call(reached, 'PATCH', `/api/openapi/v1/teams/${team.id}`, {
      settings: { reply_delay_seconds: 0 },
    });
    await call(reached, 'POST', `/api/openapi/v1/bots/${bot.id}/publish`);
  }
  const device = await call<{ id: string }>(reached, 'POST', '/api/openapi/v1/devices', {
    team_id: team.id,
    bot_id: bot.id,
    name: 'Desk',
  });
  await call(reached, 'POST', `/api/openapi/v1/devices/${device.id}/connect`);
  const { rows } = await client.query<{ qr_text: string }>('select qr_text from devices where id = $1', [
    device.id,
  ]);
  const phone = `+1555${(Date.now() % 10_000_000).toString().padStart(7, '0')}${n}`;
  await call(reached, 'POST', '/simulator/scan', { qr: rows[0]?.qr_text, phone_number: phone });
  return { id: device.id, phone };
}

async function call<Data>(reached: Reached, method: string, path: string, body?: object): Promise<Data> {
  const response = await fetch(reached.url + path, {
    method,
    headers: { authorization: `Bearer ${reached.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${await response.text()}`);
  // As the operation is declared.
  return ((await response.json()) as { data: Data }).data;
}

/** Waits until so many devices are connected on the pool at this address. */
export async function untilAllConnected(
  databaseUrl: string,
  poolUrl: string,
  devices: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await until(async () => {
      const { rows } = await client.query<{ connected: number }>(
        'select count(*)::int as connected from devices where pool_url = $1 and connected',
        [poolUrl],
      );
      return rows[0]?.connected === devices;
    });
  } finally {
    await client.end();
  }
}

/** Waits until the network has taken so many messages. */
export async function untilAllSent(databaseUrl: string, messages: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await until(async () => {
      const { rowCount } = await client.query(
        `select from messages where direction = 'out' and status in ('sent', 'delivered', 'read')`,
      );
      return rowCount === messages;
    });
  } finally {
    await client.end();
  }
}

async function writeHistory(client: pg.Client, deviceIds: readonly string[]): Promise<void> {
  await client.query(
    `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                           charged_month)
     select gen_random_uuid(), d.team_id, d.id, '+1666' || lpad((n % 1000)::text, 7, '0'), 'out', 'api', 'text',
            'Your bicycle is ready.', gen_random_uuid()::text, 'delivered', date_trunc('month', now())
     from generate_series(1, $2) n join devices d on d.id = ($1::uuid[])[1 + n % cardinality($1::uuid[])]`,
    [deviceIds, history],
  );
  await client.query('vacuum analyze');
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the devices did not come as far as they should');
    // Looking is work for the database as well, the more the devices.
    await delay(250);
  }
}
