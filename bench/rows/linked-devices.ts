import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { LibraryCommand, LibraryEvent } from '../../packages/whatsapp/bench/library-alone.ts';
import { type FakeProcess, startFakeProcess } from '../../packages/whatsapp/test/fake-process.ts';
import { linkUpTo, waitForEntries, writeToAll } from '../../packages/whatsapp/test/many-phones.ts';
import { type Connection, callApi } from '../rig/connected-devices.ts';
import { readCpuTime } from '../rig/cpu-time.ts';
import { createDatabase } from '../rig/list-database.ts';
import { median } from '../rig/median.ts';
import { deploymentEnvironment, exchange, newDeployment, parleyProgram } from '../rig/parley-process.ts';
import { residentBytes } from '../rig/resident-memory.ts';
import type { Rig } from '../rig/rig.ts';
import { startServerProcess } from '../rig/server-process.ts';
import type { Figure, FigureRow } from './row.ts';

const resolve = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const collector = resolve('../rig/collect-on-signal.ts');
const library = resolve('../../packages/whatsapp/bench/library-alone.ts');
const parleyOnFake = resolve('../../packages/whatsapp/test/parley-on-fake.ts');
/** V8 returns freed pages to the system only in this mode. Otherwise, the resident memory would be the largest so far. */
const collect = ['--expose-gc', '--memory-saver-mode', '--import', collector];
const contact = '+15550199';

/** Linked devices of one process: a pool, or the client library without Parley. */
interface Host {
  pid: number;
  fake: FakeProcess;
  link(phone: string): Promise<void>;
  /** Sends this number of messages from each device. */
  send(messages: number): Promise<void>;
  close(): Promise<void>;
}

/** A pool on a fake WhatsApp, compared with the client library alone. `packages/whatsapp` must be installed. */
export const linkedDevices: FigureRow = {
  name: 'linked-devices',
  work: 'linked devices of one pool on a fake network, compared with the client library alone',
  async measure(rig) {
    const isQuick = rig.effort.warmUpSeconds === 0;
    const counts = isQuick ? [5, 10] : [50, 200];
    const messages = isQuick ? 4 : 10;
    const start = { alone: startLibrary, pool: (execArgs: string[]) => startPool(rig, execArgs) };
    const memoryAlone = await measureMemory(await start.alone(collect), counts);
    const memoryOfPool = await measureMemory(await start.pool(collect), counts);
    const load = { devices: counts.at(-1) ?? 0, messages, pairs: rig.effort.pairs };
    const alone = await measureRates(await start.alone([]), load);
    const pool = await measureRates(await start.pool([]), load);
    return [
      ...counts.flatMap((count, n): Figure[] => [
        { figure: `memory per device of a pool with ${count}`, value: memoryOfPool[n] ?? 0, unit: ' MiB' },
        {
          figure: `of the library alone, with ${count} devices`,
          value: (memoryOfPool[n] ?? 0) / (memoryAlone[n] ?? 0),
          unit: 'x',
          goal: { atMost: 1.3 },
        },
      ]),
      ...(['in', 'out'] as const).flatMap((direction): Figure[] => [
        {
          figure: `messages ${direction} per second of the pool's CPU, ${load.devices} devices`,
          value: pool[direction].perCpuSecond,
          unit: '',
        },
        {
          figure: 'of the library alone',
          value: pool[direction].perCpuSecond / alone[direction].perCpuSecond,
          unit: 'x',
          goal: { atLeast: 0.7 },
        },
        {
          figure: `messages ${direction} per second, all processes on one machine, of the library alone`,
          value: pool[direction].perSecond / alone[direction].perSecond,
          unit: 'x',
        },
      ]),
    ];
  },
};

/** Returns the MiB per device for each of the numbers of devices. */
async function measureMemory(host: Host, counts: readonly number[]): Promise<number[]> {
  try {
    // The first device also loads code and opens connections.
    const phones = await linkUpTo(1, host.link);
    const withOne = await residentAfterCollection(host.pid);
    const memory: number[] = [];
    for (const count of counts) {
      await linkUpTo(count, host.link, { phones });
      memory.push(((await residentAfterCollection(host.pid)) - withOne) / 2 ** 20 / (count - 1));
    }
    return memory;
  } finally {
    await host.close();
  }
}

async function measureRates(
  host: Host,
  { devices, messages, pairs }: { devices: number; messages: number; pairs: number },
): Promise<{ in: Rate; out: Rate }> {
  try {
    const phones = await linkUpTo(devices, host.link);
    const texts = Array.from({ length: messages }, (_, n) => `message ${n}`);
    const receive = () => writeToAll(host.fake, phones, { from: contact, texts });
    for (const phone of phones) await host.fake.write({ from: contact, to: phone, text: 'greeting' });
    await waitForEntries(host.fake, 'delivered', devices);
    const total = devices * messages;
    const [inbound, outbound]: [Rate[], Rate[]] = [[], []];
    for (let run = 0; run < pairs; run += 1) {
      inbound.push(await measureRate(host, 'delivered', total, receive));
      outbound.push(await measureRate(host, 'sent', total, () => host.send(messages)));
    }
    return { in: medianRate(inbound), out: medianRate(outbound) };
  } finally {
    await host.close();
  }
}

interface Rate {
  perSecond: number;
  /** Per second of the processor time of the host. */
  perCpuSecond: number;
}

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map(({ perSecond }) => perSecond)),
  perCpuSecond: median(rates.map(({ perCpuSecond }) => perCpuSecond)),
});

/** Measures until the network has seen the end of all messages. */
async function measureRate(
  { fake, pid }: Host,
  type: Parameters<FakeProcess['count']>[0],
  messages: number,
  act: () => Promise<void>,
): Promise<Rate> {
  const before = await fake.count(type);
  const cpuBefore = (await readCpuTime(pid)) ?? 0;
  const start = performance.now();
  await Promise.all([act(), waitForEntries(fake, type, before + messages)]);
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = (((await readCpuTime(pid)) ?? Number.NaN) - cpuBefore) / 1e6;
  return { perSecond: messages / seconds, perCpuSecond: messages / cpuSeconds };
}

async function startLibrary(execArgv: string[]): Promise<Host> {
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

async function startPool(rig: Rig, execArgs: string[]): Promise<Host> {
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
  const pool = await start('pool', parleyOnFake);
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
    quotas: { bots: 1, accounts: 1000, characters: 1000, documents: 10, members: 1, credits: 1000 },
  };
  await callApi(connection, 'PUT', '/api/openapi/v1/plans/bench', plan);
  const { team } = await callApi<{ team: { id: string } }>(connection, 'POST', '/api/openapi/v1/teams', {
    user: { name: 'Ada Jensen', email: 'ada@example.com' },
    team: { name: 'Harbour bicycles', plan_name: 'bench' },
  });
  const bot = { team_id: team.id, name: 'Desk' };
  const { id: bot_id } = await callApi<{ id: string }>(connection, 'POST', '/api/openapi/v1/bots', bot);
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

/** Returns the resident bytes after garbage collection, which needs several passes. */
async function residentAfterCollection(pid: number): Promise<number> {
  for (let n = 0; n < 5; n += 1) {
    process.kill(pid, 'SIGUSR2');
    await delay(1000);
  }
  return residentBytes(pid);
}
