import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { LibraryCommand, LibraryEvent } from '../../packages/whatsapp/bench/library-alone.ts';
import { type FakeProcess, startFakeProcess } from '../../packages/whatsapp/test/fake-process.ts';
import { type Answers, type Connection, callApi } from './connected-devices.ts';
import { createDatabase } from './list-database.ts';
import { deploymentEnvironment, exchange, newDeployment, parleyProgram } from './parley-process.ts';
import type { Rig } from './rig.ts';
import { startServerProcess } from './server-process.ts';

const resolve = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const library = resolve('../../packages/whatsapp/bench/library-alone.ts');
const parleyOnFake = resolve('../../packages/whatsapp/test/parley-on-fake.ts');

export const contact = '+15550199';

/** Linked devices of one process: a pool, or the client library without Parley. */
export interface Host {
  pid: number;
  fake: FakeProcess;
  link(phone: string): Promise<void>;
  /** Sends this number of messages from each device. */
  send(messages: number): Promise<void>;
  close(): Promise<void>;
}

export async function startLibrary(execArgv: string[]): Promise<Host> {
  const fake = await startFakeProcess();
  const child: ChildProcess = fork(library, {
    execArgv,
    env: { ...process.env, FAKE_NETWORK: fake.url },
  });
  const command = (each: LibraryCommand) => child.send(each);
  const next = async (type: LibraryEvent['type']): Promise<LibraryEvent> => {
    for (;;) {
      // The child sends only these events.
      const [event] = (await once(child, 'message')) as [LibraryEvent];
      if (event.type === type) return event;
    }
  };
  await next('ready');
  return {
    pid: child.pid ?? 0,
    fake,
    async link(phone) {
      const code = next('code');
      command({ type: 'link' });
      const shown = await code;
      const open = next('open');
      if (shown.type !== 'code' || !(await fake.scan(shown.text, phone))) throw new Error('the link failed');
      await open;
    },
    async send(messages) {
      const sent = next('sent');
      command({ type: 'send', to: `${contact.slice(1)}@s.whatsapp.net`, messages });
      await sent;
    },
    async close() {
      child.kill();
      await fake.close();
    },
  };
}

/** With `answers`, the process is also a worker, and the devices' bot answers without delay. */
export async function startPool(rig: Rig, execArgs: string[], answers: Answers | null = null): Promise<Host> {
  const fake = await startFakeProcess();
  const name = `linked_${randomBytes(4).toString('hex')}`;
  const deployment = newDeployment(await createDatabase(rig, name));
  const environment = {
    ...deploymentEnvironment(deployment),
    MESSAGING_NETWORK: 'whatsapp',
    FAKE_NETWORK: fake.url,
    DATA_DIR: join(rig.directory, name),
  };
  const start = (roles: string, program: string) =>
    startServerProcess({
      program,
      log: join(rig.directory, `${name}-${roles}.log`),
      execArgs: [...rig.execArgs, ...execArgs],
      environment: { ...environment, ROLES: roles },
    });
  const api = await start('api', parleyProgram);
  const pool = await start(answers === null ? 'pool' : 'pool,worker', parleyOnFake);
  const connection: Connection = {
    url: api.url,
    databaseUrl: deployment.databaseUrl,
    token: await exchange(api.url, deployment.key),
  };
  const client = new pg.Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  const plan = {
    features: { allowActiveMessaging: true },
    active_messages_monthly: 1_000_000,
    paying: true,
    quotas: { bots: 1, accounts: 1000, characters: 1000, documents: 10, members: 1, credits: 1_000_000 },
  };
  await callApi(connection, 'PUT', '/api/openapi/v1/plans/bench', plan);
  const { team } = await callApi<{ team: { id: string } }>(connection, 'POST', '/api/openapi/v1/teams', {
    user: { name: 'Ada Jensen', email: 'ada@example.com' },
    team: { name: 'Harbour bicycles', plan_name: 'bench' },
  });
  const bot = { team_id: team.id, name: 'Desk', ...answers };
  const { id: bot_id } = await callApi<{ id: string }>(connection, 'POST', '/api/openapi/v1/bots', bot);
  if (answers !== null) {
    const settings = { reply_delay_seconds: 0 };
    await callApi(connection, 'PATCH', `/api/openapi/v1/teams/${team.id}`, { settings });
    await callApi(connection, 'POST', `/api/openapi/v1/bots/${bot_id}/publish`);
  }
  return {
    pid: pool.pid,
    fake,
    async link(phone) {
      const device = { team_id: team.id, bot_id, name: 'Desk' };
      const { id } = await callApi<{ id: string }>(connection, 'POST', '/api/openapi/v1/devices', device);
      await callApi(connection, 'POST', `/api/openapi/v1/devices/${id}/connect`);
      const select = 'select qr_text, connected from devices where id = $1';
      const code = (await client.query<{ qr_text: string }>(select, [id])).rows[0]?.qr_text ?? '';
      if (!(await fake.scan(code, phone))) throw new Error('the link failed');
      while ((await client.query<{ connected: boolean }>(select, [id])).rows[0]?.connected !== true)
        await delay(20);
    },
    async send(messages) {
      const { rows } = await client.query<{ device_id: string }>('select device_id from conversations');
      await Promise.all(
        rows.map(async ({ device_id }) => {
          for (let n = 0; n < messages; n += 1) {
            const message = { device_id, destination_number: contact, message: `message ${n}` };
            await callApi(connection, 'POST', '/api/openapi/v1/send', message);
          }
        }),
      );
    },
    async close() {
      await client.end();
      await pool.stop();
      await api.stop();
      await fake.close();
    },
  };
}
