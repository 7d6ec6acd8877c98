import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openAnswering, pairs, questions } from '../rig/answering-deployment.ts';
import type { Chats } from '../rig/chats.ts';
import type { ConnectedDevice } from '../rig/connected-devices.ts';
import { runLoad } from '../rig/load.ts';
import { median } from '../rig/median.ts';
import { sharedEnvironment } from '../rig/parley-process.ts';
import { percentile } from '../rig/percentile.ts';
import type { Rig } from '../rig/rig.ts';
import { seed } from '../rig/seed.ts';
import { type ServerProcess, startServerProcess } from '../rig/server-process.ts';
import { countStatementsDuring } from '../rig/statement-count.ts';
import type { Figure, FigureRow } from './row.ts';

const conversations = 200;
const teams = 50;
const databaseName = 'parley_answers';

const floorProgram = fileURLToPath(new URL('../floors/answer.ts', import.meta.url));

/** Measures the time from a contact's message to the answer on the network. Each role is a process. */
export const answers: FigureRow = {
  name: 'answers',
  work: `inbound message to delivered answer, ${conversations} conversations`,
  async measure(rig) {
    await using cleanup = new AsyncDisposableStack();
    const answering = await openAnswering(rig, databaseName, { teams });
    cleanup.defer(() => answering.close());
    const { chats, devices, databaseUrl } = answering;
    // The floor writes to these devices. No bot answers them.
    const floorDeviceIds = await seed(databaseUrl);
    await openConversations(databaseUrl, floorDeviceIds);
    const floor = await startServerProcess({
      program: floorProgram,
      log: join(rig.directory, 'answers-floor.log'),
      environment: sharedEnvironment(databaseUrl),
    });
    cleanup.defer(() => floor.stop());
    return await measure(rig, { chats, devices, floorDeviceIds, floor, databaseUrl });
  },
};

interface MeasuredSystem {
  chats: Chats;
  devices: readonly ConnectedDevice[];
  /** Each has one conversation. */
  floorDeviceIds: readonly string[];
  floor: ServerProcess;
  databaseUrl: string;
}

async function measure(rig: Rig, measured: MeasuredSystem): Promise<Figure[]> {
  const { pairs: rounds, secondsEach, warmUpSeconds } = rig.effort;
  const { chats, devices } = measured;
  const contacts = numberContacts();
  await askRepeatedly({ chats, devices, contacts }, Math.max(warmUpSeconds, 1));
  await vacuum(measured.databaseUrl);
  await loadFloor(rig, measured, Math.max(warmUpSeconds, 1));
  const floors: number[] = [];
  const results: ChatResult[] = [];
  for (let round = 0; round < rounds; round++) {
    floors.push(await loadFloor(rig, measured, secondsEach));
    results.push(await askRepeatedly({ chats, devices, contacts }, secondsEach));
  }
  const counted = await countStatementsDuring(rig.environment.admin, databaseName, () =>
    askRepeatedly({ chats, devices, contacts }, secondsEach),
  );
  const ratios = results.map(({ perSecond }, round) => perSecond / (floors[round] ?? Number.NaN));
  return [
    { figure: 'answers, ratio to the floor', value: median(ratios), unit: 'x', goal: { atLeast: 0.35 } },
    {
      figure: 'statements per answer',
      value: counted.statements / counted.result.answers,
      unit: '',
      goal: { atMost: 10 },
    },
    { figure: 'answers', value: median(results.map(({ perSecond }) => perSecond)), unit: '/s' },
    { figure: 'answers of the floor', value: median(floors), unit: '/s' },
    { figure: 'wait for an answer, p50', value: median(results.map(({ p50Ms }) => p50Ms)), unit: ' ms' },
    { figure: 'wait for an answer, p99', value: median(results.map(({ p99Ms }) => p99Ms)), unit: ' ms' },
  ];
}

interface ChatResult {
  answers: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Contacts ask each question once, waiting for every answer, then others follow: Parley no longer answers a contact that goes on writing
 * faster than people.
 */
export async function askRepeatedly(
  {
    chats,
    devices,
    contacts,
  }: { chats: Chats; devices: readonly ConnectedDevice[]; contacts: Iterator<string, never> },
  seconds: number,
): Promise<ChatResult> {
  const waits: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: conversations }, async (_, n) => {
      const phone = devices[n % devices.length]?.phone ?? '';
      while (performance.now() < until) {
        const contact = contacts.next().value;
        for (const question of questions) {
          if (performance.now() < until) waits.push(await chats.ask({ contact, phone }, question));
        }
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return {
    answers: waits.length,
    perSecond: waits.length / elapsed,
    p50Ms: percentile(waits, 0.5),
    p99Ms: percentile(waits, 0.99),
  };
}

export function* numberContacts(): Generator<string, never> {
  for (let n = 0; ; n++) yield `+1666${String(n).padStart(7, '0')}`;
}

/** Returns the floor's answers per second with the same number of concurrent conversations. */
async function loadFloor(
  { generator }: Rig,
  { floor, floorDeviceIds }: MeasuredSystem,
  seconds: number,
): Promise<number> {
  const result = await runLoad(generator, {
    method: 'POST',
    url: floor.url,
    paths: ['/'],
    headers: { 'content-type': 'application/json' },
    bodies: floorDeviceIds.map((device_id, n) =>
      JSON.stringify({
        device_id,
        contact: silentContact,
        text: questions[n % questions.length],
        reply: pairs[n % pairs.length]?.answer,
      }),
    ),
    connections: conversations,
    seconds,
  });
  return result.requests / result.seconds;
}

const silentContact = '+16670000000';

async function openConversations(databaseUrl: string, deviceIds: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into conversations (id, team_id, device_id, contact_number)
     select gen_random_uuid(), team_id, id, $2 from devices where id = any($1::uuid[])`,
    [deviceIds, silentContact],
  );
  await client.end();
}

/** Replaces autovacuum, which would run later. */
async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
