import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { newId } from '../../src/shared/ids.ts';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../devices.ts';
import { eventually } from '../eventually.ts';
import { type ServerProcess, serverProcesses } from '../faults/server-process.ts';
import { createNextVersion } from './next-version.ts';

const deviceCount = 6;
const clients = 8;
const roles = ['api', 'pool', 'worker'] as const;
type Role = (typeof roles)[number];

const app = await startDevicesApp();
const { db } = app.context;
const processes = await serverProcesses({
  ROLES: 'api',
  DATABASE_URL: app.databaseUrl,
  SIMULATOR_URL: app.network.url,
  RATE_LIMIT_PER_MINUTE: '0',
  DATABASE_POOL_SIZE: '6',
});

const start = (role: Role, main?: string): Promise<ServerProcess> =>
  processes.start({ ROLES: role }, main === undefined ? {} : { command: [process.execPath, main] });

/** Starts two processes of each role. */
async function startDeployment(): Promise<Record<Role, ServerProcess[]>> {
  const [apis, pools, workers] = await Promise.all(
    roles.map((role) => Promise.all([start(role), start(role)])),
  );
  return { api: apis ?? [], pool: pools ?? [], worker: workers ?? [] };
}

async function linkDevices() {
  const team = await addTeamWithBot(db);
  const devices: { id: string; phone: string }[] = [];
  for (let n = 0; n < deviceCount; n += 1) {
    const device = { id: await addDevice(app, team), phone: newPhone() };
    await linkDevice(app, device.id, device.phone);
    devices.push(device);
  }
  return devices;
}

interface Sent {
  status: number;
  messageId?: string;
  body: unknown;
  attempts: number;
  ms: number;
}

/** Goes round the APIs. Retries connection errors, and 503 with Retry-After, under the same Idempotency-Key. */
async function send(
  apis: readonly ServerProcess[],
  deviceId: string,
  to: string,
  first: number,
): Promise<Sent> {
  const begun = performance.now();
  const key = newId();
  for (let attempts = 1; ; attempts += 1) {
    const { url } = apis[(first + attempts) % apis.length] ?? { url: '' };
    const response = await fetch(`${url}/api/openapi/v1/send`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.key.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ device_id: deviceId, message: 'Your bicycle is ready', destination_number: to }),
    }).catch(() => null);
    const isTemporary =
      response === null || (response.status === 503 && response.headers.get('retry-after') !== null);
    if (isTemporary) {
      assert.ok(performance.now() - begun < 60_000, 'no API takes the request');
      await response?.arrayBuffer();
      await delay(100);
      continue;
    }
    const body = (await response.json()) as { data?: { messageId: string } };
    const messageId = body.data?.messageId;
    const ms = performance.now() - begun;
    return { status: response.status, ...(messageId === undefined ? {} : { messageId }), body, attempts, ms };
  }
}

/** Restarts every process, as `main` if it is given, while clients send. */
async function restartUnderLoad(t: TestContext, main?: string): Promise<void> {
  const deployment = await startDeployment();
  const devices = await linkDevices();
  const earlier = await countMessages();
  const sent: Sent[] = [];
  let stopping = false;
  const loops = Array.from({ length: clients }, async (_, client) => {
    for (let n = 0; !stopping; n += 1) {
      const device = devices[(client + n) % devices.length] ?? assert.fail();
      const to = `+1558${String(client * 100_000 + n).padStart(7, '0')}`;
      sent.push(await send(deployment.api, device.id, to, client + n));
    }
  });

  await eventually(async () => assert.ok(sent.length > clients), 30_000);
  for (const role of roles) {
    for (const [index, process] of deployment[role].entries()) {
      const before = sent.length;
      process.stop();
      assert.equal(await process.ended, 0, `a ${role} failed to stop`);
      deployment[role][index] = await start(role, main);
      await eventually(async () => assert.ok(sent.length > before + clients), 30_000);
    }
  }
  stopping = true;
  await Promise.all(loops);

  const times = sent.map(({ ms }) => ms).sort((a, b) => a - b);
  const failed = sent.filter(({ status }) => status !== 200);
  t.diagnostic(
    `${sent.length} sends, ${failed.length} failed, slowest ${Math.round(times.at(-1) ?? 0)} ms, ${sent.filter(({ attempts }) => attempts > 1).length} retried`,
  );
  assert.deepEqual(failed.slice(0, 5), []);
  assert.equal(new Set(sent.map(({ messageId }) => messageId)).size, sent.length);
  await eventually(async () => {
    const { rows } = await sql<{ status: string; messages: number }>`
      select status, count(*)::int as messages from messages where origin = 'api' group by status`.execute(
      db,
    );
    assert.deepEqual(
      rows.filter(({ status }) => !['sent', 'delivered', 'read'].includes(status)),
      [],
    );
  }, 60_000);
  assert.equal((await countMessages()) - earlier, sent.length);
  for (const process of Object.values(deployment).flat()) {
    process.stop();
    await process.ended;
  }
}

async function countMessages(): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    select count(*)::int as messages from messages where origin = 'api'`.execute(db);
  return rows[0]?.messages ?? 0;
}

const isSchemaChanged = async (): Promise<boolean> => {
  const { rows } = await sql`
    select from information_schema.columns where column_name = 'of_the_next_version'`.execute(db);
  return rows.length > 0;
};

test('no send fails while every process is restarted one after the other under load', (t) =>
  restartUnderLoad(t));

test('no send fails while every process is replaced by the next version, which changes the schema', async (t) => {
  await restartUnderLoad(t, await createNextVersion());
  assert.equal(await isSchemaChanged(), true);
});

test('no send fails with the version before on the changed schema', async (t) => {
  assert.equal(await isSchemaChanged(), true);
  await restartUnderLoad(t);
});
