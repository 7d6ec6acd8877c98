import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface Connection {
  /** Base URL of Parley's api, which forwards to the simulated network. */
  url: string;
  databaseUrl: string;
  token: string;
}

/** More active messages per month than any load sends. */
const plan = {
  features: { allowActiveMessaging: true },
  active_messages_monthly: 1_000_000_000,
  paying: true,
  quotas: { bots: 1, accounts: 1, characters: 1_000_000, documents: 10, members: 1, credits: 1_000_000_000 },
};

const deadlineMs = 120_000;

/** Messages sent before the run. PostgreSQL plans queries on an empty table differently. */
const history = 50_000;

export interface ConnectedDevice {
  id: string;
  /** The linked phone number. */
  phone: string;
}

/** Creates teams, each with a connected device that has sent messages before. Returns the devices' ids. */
export async function connectDevices(connection: Connection, teams: number): Promise<string[]> {
  const devices = (await connectTeams(connection, teams, null)).map(({ id }) => id);
  const client = new pg.Client({ connectionString: connection.databaseUrl });
  await client.connect();
  try {
    await writeHistory(client, devices);
  } finally {
    await client.end();
  }
  return devices;
}

/** Question/answer pairs and actions of a bot that answers without delay. */
export interface Answers {
  questions: readonly { question: string; answer: string }[];
  actions?: readonly { name: string; endpoint: string; method: string }[];
}

/** Creates teams, each with a bot and a connected device. Bots with `answers` are published. */
export async function connectTeams(
  connection: Connection,
  teams: number,
  answers: Answers | null,
): Promise<ConnectedDevice[]> {
  const client = new pg.Client({ connectionString: connection.databaseUrl });
  await client.connect();
  try {
    await callApi(connection, 'PUT', '/api/openapi/v1/plans/bench', plan);
    const devices: ConnectedDevice[] = [];
    for (let n = 0; n < teams; n++) devices.push(await connectTeam(connection, client, n, answers));
    await waitUntil(async () => {
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
  connection: Connection,
  client: pg.Client,
  n: number,
  answers: Answers | null,
): Promise<ConnectedDevice> {
  const { team } = await callApi<{ team: { id: string } }>(connection, 'POST', '/api/openapi/v1/teams', {
    user: { name: 'Ada Jensen', email: 'ada@example.com' },
    team: { name: `Harbour bicycles ${n}`, plan_name: 'bench' },
  });
  const bot = await callApi<{ id: string }>(connection, 'POST', '/api/openapi/v1/bots', {
    team_id: team.id,
    name: 'Desk',
    ...answers,
  });
  if (answers !== null) {
    await callApi(connection, 'PATCH', `/api/openapi/v1/teams/${team.id}`, {
      settings: { reply_delay_seconds: 0 },
    });
    await callApi(connection, 'POST', `/api/openapi/v1/bots/${bot.id}/publish`);
  }
  const device = await callApi<{ id: string }>(connection, 'POST', '/api/openapi/v1/devices', {
    team_id: team.id,
    bot_id: bot.id,
    name: 'Desk',
  });
  await callApi(connection, 'POST', `/api/openapi/v1/devices/${device.id}/connect`);
  const { rows } = await client.query<{ qr_text: string }>('select qr_text from devices where id = $1', [
    device.id,
  ]);
  const phone = `+1555${(Date.now() % 10_000_000).toString().padStart(7, '0')}${n}`;
  await callApi(connection, 'POST', '/simulator/scan', { qr: rows[0]?.qr_text, phone_number: phone });
  return { id: device.id, phone };
}

export async function callApi<Data>(
  connection: Connection,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(connection.url + path, {
    method,
    headers: { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${await response.text()}`);
  // The caller names the declared type.
  return ((await response.json()) as { data: Data }).data;
}

/** Waits until this number of devices is connected on the pool at this URL. */
export async function waitUntilConnected(
  databaseUrl: string,
  poolUrl: string,
  devices: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await waitUntil(async () => {
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

/** Waits until the network has accepted this number of messages. */
export async function waitUntilSent(databaseUrl: string, messages: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await waitUntil(async () => {
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

async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the devices did not reach the expected state in time');
    // The query costs the database more with more devices.
    await delay(250);
  }
}
