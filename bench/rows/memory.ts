import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEnvironment } from '../rig/environment.ts';
import { type LoadRequest, runLoad } from '../rig/load.ts';
import { median } from '../rig/median.ts';
import { type ParleyProcess, startParley } from '../rig/parley-process.ts';
import { parentOf, residentBytes, residentBytesOfTree } from '../rig/resident-memory.ts';
import type { Rig } from '../rig/rig.ts';
import { createTeam } from './create-team.ts';
import { getDevice } from './get-device.ts';
import type { Figure, FigureRow, Subject } from './row.ts';
import { sendBodies } from './send.ts';

/** Memory of the whole program, idle and under a mix of requests. */
export const memory: FigureRow = {
  name: 'memory',
  work: 'memory of the program',
  async measure(rig) {
    // The simulated network keeps all chats in memory, so this row has a database and files of its own.
    const environment = await openEnvironment();
    const directory = join(rig.directory, 'memory');
    await mkdir(directory);
    try {
      return await measureOn({ ...rig, environment, directory });
    } finally {
      await environment.close();
    }
  },
};

async function measureOn(rig: Rig): Promise<Figure[]> {
  const { environment, effort } = rig;
  const isQuick = effort.warmUpSeconds === 0;
  const [requests, restMs] = isQuick ? [1000, 0] : [200_000, 10_000];
  const apiAlone = await measureApiAlone(rig, restMs);
  const parley = await startParley({
    ...rig,
    deployment: environment,
    log: 'memory',
    roles: 'api,pool,worker',
  });
  try {
    await delay(restMs);
    const idle = await residentBytes(parley.pid);
    const subject = { ...parley, databaseUrl: environment.databaseUrl, deviceIds: environment.deviceIds };
    const quarters = await loadInQuarters(rig, parley, await createMix(subject), requests);
    await delay(restMs);
    const after = await residentBytes(parley.pid);
    return createFigures({ requests, idle, apiAlone, after, quarters, database: await databaseBytes(rig) });
  } finally {
    await parley.stop();
  }
}

async function measureApiAlone(rig: Rig, restMs: number): Promise<number> {
  const api = await startParley({ ...rig, deployment: rig.environment, log: 'memory-api', roles: 'api' });
  try {
    await delay(restMs);
    return await residentBytes(api.pid);
  } finally {
    await api.stop();
  }
}

function createFigures(measured: {
  requests: number;
  idle: number;
  apiAlone: number;
  after: number;
  quarters: readonly number[];
  database: number;
}): Figure[] {
  const { requests, idle, apiAlone, after, quarters, database } = measured;
  const [, second = Number.NaN, , last = Number.NaN] = quarters;
  const unit = ' MB';
  return [
    { figure: 'idle after the start', value: idle / 1e6, unit, goal: { atMost: 170 } },
    { figure: 'idle after the start, api alone', value: apiAlone / 1e6, unit, goal: { atMost: 120 } },
    {
      figure: `idle after ${requests.toLocaleString('en')} mixed requests`,
      value: after / 1e6,
      unit,
      goal: { atMost: 320 },
    },
    { figure: 'under load, median of the second quarter', value: second / 1e6, unit },
    { figure: 'under load, median of the last quarter', value: last / 1e6, unit },
    { figure: 'last quarter over second', value: last / second, unit: 'x', goal: { atMost: 1.03 } },
    { figure: 'PostgreSQL, separately', value: database / 1e6, unit },
  ];
}

interface Share {
  request: LoadRequest;
  connections: number;
}

/** Mostly reads, as partners send them, and writes of all sizes. */
async function createMix(subject: Subject): Promise<Share[]> {
  const bodies = await sendBodies(subject, 5);
  const headers = { authorization: `Bearer ${subject.token}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const lists = ['teams', 'documents', 'devices', 'messages', 'bots', 'conversations'];
  return [
    { request: await getDevice.request(subject), connections: 8 },
    {
      request: {
        method: 'GET',
        paths: subject.deviceIds.map((id) => `/api/openapi/v1/devices/${id}/status`),
        headers,
      },
      connections: 8,
    },
    {
      request: {
        method: 'POST',
        paths: ['/api/openapi/auth/token'],
        headers: { 'content-type': 'application/json' },
        bodies: [JSON.stringify({ key_id: subject.key.id, key_secret: subject.key.secret })],
      },
      connections: 4,
    },
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

/** Returns the median memory of the process for each quarter of the requests. */
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
        runLoad(generator, { ...load, ...request, connections }),
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
  // The caller that awaits the work handles its failure.
  work.then(over, over);
  const samples: number[] = [];
  while (!isOver) {
    samples.push(await sample());
    await delay(samplingMs);
  }
  return samples;
}

async function databaseBytes({ environment }: Rig): Promise<number> {
  const { rows } = await environment.admin.query<{ pid: number }>('select pg_backend_pid() as pid');
  return residentBytesOfTree(await parentOf(rows[0]?.pid ?? 0));
}
