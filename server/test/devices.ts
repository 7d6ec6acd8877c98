import assert from 'node:assert/strict';
import { after } from 'node:test';
import { sql } from 'kysely';
import { webhookUrl } from '../src/devices/devices.ts';
import type { Database } from '../src/platform/database/database.ts';
import type { Routes } from '../src/platform/http/fastify-app.ts';
import { newId } from '../src/platform/shared/ids.ts';
import { type Pool, startPool } from '../src/pool/pool.ts';
import type { PoolOptions } from '../src/pool/pool-components.ts';
import { openNetworks } from '../src/ports/messaging-network/create-messaging-network.ts';
import { createTeam } from '../src/tenancy/teams/teams.ts';
import { openTestContext, startApiOn, type TestApp, type TestContext } from './harness.ts';
import { silent, startTestNetwork, type TestNetwork } from './simulated-network.ts';
import { createTestDatabase } from './test-database.ts';

/** An API for devices and messages with a simulated network. Tests start the pools. */
export interface DevicesApp extends TestApp {
  network: TestNetwork;
  databaseUrl: string;
  /** Starts a pool with its own context, like another process. It is stopped after the tests. */
  startPool(config?: Partial<PoolOptions['config']>): Promise<TestPool>;
}

export interface TestPool extends Pool {
  /** Cuts it off from its database permanently. */
  cutOff(): Promise<void>;
}

export interface DevicesAppOptions {
  /** Default: all routes. */
  routes?: (context: TestContext) => readonly Routes[];
  qrLifetimesMs?: number[];
  /** Replaces the test database. */
  database?: { url: string };
  /** Environment variables of the API. */
  environment?: Record<string, string>;
}

/** Starts without a pool. Everything stops after the tests, in reverse order. */
export async function startDevicesApp({
  routes,
  qrLifetimesMs,
  database: given,
  environment = {},
}: DevicesAppOptions = {}): Promise<DevicesApp> {
  const ends: (() => Promise<void>)[] = [];
  const database = given ?? (await startTestDatabase(ends));
  const context = await openTestContext(database.url, { environment });
  ends.push(context.close);
  const network = await startTestNetwork(qrLifetimesMs === undefined ? {} : { qrLifetimesMs });
  ends.push(network.close);
  const app = await startApiOn(context, routes === undefined ? {} : { routes });
  // Registered last, so that the API closes first.
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return {
    ...app,
    network,
    databaseUrl: database.url,
    async startPool(config = {}) {
      const own = await openTestContext(database.url, { environment });
      const { pool, end } = await openPool(own, { network, baseUrl: app.baseUrl }, config);
      ends.push(end);
      return { url: pool.url, close: end, cutOff: own.close };
    },
  };
}

async function startTestDatabase(ends: (() => Promise<void>)[]): Promise<{ url: string }> {
  const database = await createTestDatabase();
  ends.push(database.drop);
  return database;
}

async function openPool(
  context: TestContext,
  { network, baseUrl: apiUrl }: { network: TestNetwork; baseUrl: string },
  config: Partial<PoolOptions['config']>,
): Promise<{ pool: Pool; end: () => Promise<void> }> {
  const adapter = await openNetworks(
    context.networks,
    {
      simulatorUrl: () => network.url,
      whatsapp: { version: null },
      whatsappCloud: { baseUrl: context.config.WHATSAPP_CLOUD_BASE_URL, maxMediaBytes: 1_000_000 },
      telegram: {
        baseUrl: context.config.TELEGRAM_BASE_URL,
        webhookUrl: (accountKey) => webhookUrl(apiUrl, 'telegram', accountKey),
      },
    },
    { ...silent, debug: () => undefined },
  );
  const pool = await startPool({
    ...context,
    leaseDb: context.db,
    network: adapter,
    config: {
      host: '127.0.0.1',
      port: 0,
      url: null,
      capacity: 100,
      leaseSeconds: 15,
      pollMs: 100,
      ...config,
    },
  });
  let ending: Promise<void> | undefined;
  const end = () => {
    // A pool that was cut off cannot hand devices over.
    ending ??= pool
      .close()
      .catch(() => undefined)
      .then(() => adapter.close())
      .then(() => context.close())
      .catch(() => undefined);
    return ending;
  };
  return { pool, end };
}

/** Inserts a team with a published bot. */
export async function addTeamWithBot(
  db: Database,
  team: { plan?: string; accounts?: number } = {},
): Promise<{ teamId: string; botId: string }> {
  const created = await db.transaction().execute((tx) =>
    createTeam(tx, {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: {
        name: 'Harbour bicycles',
        plan_name: team.plan ?? 'enterprise',
        ...(team.accounts === undefined ? {} : { quotas: { accounts: team.accounts } }),
      },
    }),
  );
  const teamId = created.team.id;
  return { teamId, botId: await addBotRow(db, teamId) };
}

export async function addBotRow(db: Database, teamId: string): Promise<string> {
  const botId = newId();
  await sql`
    insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                      chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                      break_lines, questions, ai_provider_id, vector_id, published, live_version)
    values (${botId}, ${teamId}, 'live', 'Desk', 'assistant', '', '', '', 0.7, 1, false, false, false, false, false, '[]',
            ${`asst_${botId}`}, ${`vs_${botId}`}, true, 1)`.execute(db);
  await sql`update team_usage set bots = bots + 1 where team_id = ${teamId}`.execute(db);
  return botId;
}

/** Creates a device through the API. */
export async function addDevice(
  app: Pick<TestApp, 'api'>,
  ids: { teamId: string; botId: string; network?: string },
): Promise<string> {
  const { status, body } = await app.api('POST', '/devices', {
    body: {
      team_id: ids.teamId,
      bot_id: ids.botId,
      name: 'Desk',
      ...(ids.network !== undefined && { network: ids.network }),
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

/** Returns the text of the device's current QR code. */
export async function readQrText(db: Database, deviceId: string): Promise<string> {
  const row = await db
    .selectFrom('devices')
    .select('qr_text')
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  assert.ok(row.qr_text, 'the device shows no code');
  return row.qr_text;
}

/** Connects a device and scans its QR code with this phone. Resolves when it is connected. */
export async function linkDevice(
  app: Pick<DevicesApp, 'api' | 'context' | 'network'>,
  deviceId: string,
  phone: string,
): Promise<void> {
  const { status, body } = await app.api('POST', `/devices/${deviceId}/connect`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(await app.network.scan(await readQrText(app.context.db, deviceId), phone), 200);
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
}

/** Waits until the connection status fulfils the condition and returns it. */
export async function waitForDevice(
  app: Pick<TestApp, 'api' | 'context'>,
  deviceId: string,
  fulfils: (status: Record<string, unknown>) => boolean,
  withinMs = 10_000,
): Promise<Record<string, unknown>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const changed = nextChange(app.context, deviceId);
    const { body } = await app.api('GET', `/devices/${deviceId}/status`);
    if (fulfils(body.data)) return body.data;
    assert.ok(performance.now() < deadline, `the device stays ${JSON.stringify(body.data)}`);
    await changed;
  }
}

/** Resolves at the next notification, or after a short time in case one was missed. */
function nextChange({ notifications }: Pick<TestContext, 'notifications'>, deviceId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, 100);
  const hear = (id: string) => {
    if (id === deviceId) resolve();
  };
  const stops = (['device-changed', 'session-changed'] as const).map((topic) =>
    notifications.subscribe(topic, hear),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}

let phones = 0;

/** Returns a phone number that is unique in the file. */
export function newPhone(): string {
  phones += 1;
  return `+1555${String(phones).padStart(6, '0')}`;
}
