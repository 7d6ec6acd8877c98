import { setTimeout as delay } from 'node:timers/promises';
import { openStage } from '../rig/environment.ts';
import { type LoadRequest, putLoad } from '../rig/load.ts';
import { median } from '../rig/median.ts';
import { type ParleyProcess, startParley } from '../rig/parley-process.ts';
import { parentOf, residentBytes, residentBytesOfTree } from '../rig/resident-memory.ts';
import type { Rig } from '../rig/rig.ts';
import { createTeam } from './create-team.ts';
import { createToken } from './create-token.ts';
import { getDevice } from './get-device.ts';
import { getDeviceStatus } from './get-device-status.ts';
import type { Figure, FigureRow, Subject } from './row.ts';
import { sendBodies } from './send.ts';

/** The whole program, at rest and under all kinds of requests at once. */
export const memory: FigureRow = {
  name: 'memory',
  work: 'memory of the program',
  async measure(rig) {
    // The simulated network keeps its chats in memory, those of other rows too: this one has a database of its own.
    const stage = await openStage();
    try {
      return await measureOn({ ...rig, stage });
    } finally {
      await stage.close();
    }
  },
};

async function measureOn(rig: Rig): Promise<Figure[]> {
  const { stage, effort } = rig;
  const isQuick = effort.warmUpSeconds === 0;
  const [requests, restMs] = isQuick ? [1000, 0] : [200_000, 10_000];
  const parley = await startParley({ ...rig, deployment: stage, log: 'memory', roles: 'api,pool,worker' });
  try {
    await delay(restMs);
    const idle = await residentBytes(parley.pid);
    const subject = { ...parley, databaseUrl: stage.databaseUrl, deviceIds: stage.deviceIds };
    const quarters = await loadInQuarters(rig, parley, await mixOf(subject), requests);
    await delay(restMs);
    const after = await residentBytes(parley.pid);
    return figuresOf({ requests, idle, after, quarters, database: await databaseBytes(rig) });
  } finally {
    await parley.stop();
  }
}

function figuresOf(measured: {
  requests: number;
  idle: number;
  after: number;
  quarters: readonly number[];
  database: number;
}): Figure[] {
  const { requests, idle, after, quarters, database } = measured;
  const [, second = Number.NaN, , last = Number.NaN] = quarters;
  const unit = ' MB';
  return [
    { figure: 'at rest after the start', value: idle / 1e6, unit, goal: { atMost: 200 } },
    {
      figure: `at rest after ${requests.toLocaleString('en')} mixed requests`,
      value: after / 1e6,
      unit,
      goal: { atMost: 320 },
    },
    { figure: 'under load, median of the second quarter', value: second / 1e6, unit },
    { figure: 'under load, median of the last quarter', value: last / 1e6, unit },
    { figure: 'last quarter over second', value: last / second, unit: 'x', goal: { atMost: 1.05 } },
    { figure: 'PostgreSQL, apart', value: database / 1e6, unit },
  ];
}

interface Share {
  request: LoadRequest;
  connections: number;
}

/** Reads mostly, as partners do; writes of every weight among them. */
async function mixOf(subject: Subject): Promise<Share[]> {
  const bodies = await sendBodies(subject, 5);
  const headers = { authorization: `Bearer ${subject.token}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const lists = ['teams', 'documents', 'devices', 'messages', 'bots', 'conversations'];
  return [
    { request: await getDevice.request(subject), connections: 8 },
    { request: await getDeviceStatus.request(subject), connections: 8 },
    { request: await createToken.request(subject), connections: 4 },
    { request: await createTeam.request(subject), connections: 2 },
    {
      request: {
        method: 'GET',
        paths: lists.map((list) => `/api/openapi/v1/${list}?page=2&limit=10`),
        headers,
      },
      connections: 4,
    },
    {
      request: { method: 'POST', paths: ['/api/openapi/v1/send'], headers: json, bodies },
      connections: 6,
    },
  ];
}

/** Medians of what the process held while each quarter of the requests ran. */
async function loadInQuarters(
  { generator, effort }: Rig,
  parley: ParleyProcess,
  mix: readonly Share[],
  requests: number,
): Promise<number[]> {
  const quarters: number[] = [];
  for (let quarter = 1; quarter <= 4; quarter++) {
    const samples: number[] = [];
    for (let answered = 0; answered < requests / 4; ) {
      const load = { url: parley.url, seconds: effort.secondsEach };
      const loads = mix.map(({ request, connections }) =>
        putLoad(generator, { ...load, ...request, connections }),
      );
      const sampling = sampleWhile(Promise.all(loads), () => residentBytes(parley.pid));
      answered += (await Promise.all(loads)).reduce((sum, part) => sum + part.requests, 0);
      samples.push(...(await sampling));
    }
    quarters.push(median(samples));
  }
  return quarters;
}

const samplingMs = 250;

async function sampleWhile(work: Promise<unknown>, sample: () => Promise<number>): Promise<number[]> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  // Whoever waits for the work hears of its failure.
  work.then(over, over);
  const samples: number[] = [];
  while (!isOver) {
    samples.push(await sample());
    await delay(samplingMs);
  }
  return samples;
}

async function databaseBytes({ stage }: Rig): Promise<number> {
  const { rows } = await stage.admin.query<{ pid: number }>('select pg_backend_pid() as pid');
  return residentBytesOfTree(await parentOf(rows[0]?.pid ?? 0));
}
