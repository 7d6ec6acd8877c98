import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countLoad, type LoadRequest, putLoad } from '../rig/load.ts';
import { CONNECTIONS } from '../rig/measure.ts';
import { median } from '../rig/median.ts';
import { sharedEnvironment, startParley } from '../rig/parley-process.ts';
import type { Rig } from '../rig/rig.ts';
import { openRoleProcesses } from '../rig/role-processes.ts';
import { seed } from '../rig/seed.ts';
import { startServerProcess } from '../rig/server-process.ts';
import type { Figure, FigureRow } from './row.ts';

const floorProgram = fileURLToPath(new URL('../floors/get-device.ts', import.meta.url));
const limitPerMinute = 6000;

/** What a second process on the same database adds, and what the two let one key do. */
export const twoApis: FigureRow = {
  name: 'two-apis',
  work: 'GET /devices/{id}, two api processes against one, one key',
  async measure(rig) {
    return [
      ...(await compareThroughput(rig)),
      await admittedShare(rig, 1, { atLeast: 0.95 }),
      await admittedShare(rig, 2, { atMost: 1.2 }),
    ];
  },
};

interface Server {
  url: string;
  request: LoadRequest;
}

async function compareThroughput(rig: Rig): Promise<Figure[]> {
  const { pairs, secondsEach, warmUpSeconds } = rig.effort;
  await using ends = new AsyncDisposableStack();
  const [floors, apis] = [await startFloors(rig, ends), await startApis(rig, ends)];
  const rate = (servers: readonly Server[], seconds = secondsEach) =>
    requestsPerSecond(rig, servers, seconds);
  if (warmUpSeconds > 0) for (const servers of [floors, apis]) await rate(servers, warmUpSeconds);
  const rounds: { floor: number; parley: number }[] = [];
  for (let round = 0; round < pairs; round++) {
    const floor = (await rate(floors)) / (await rate(floors.slice(0, 1)));
    const parley = (await rate(apis)) / (await rate(apis.slice(0, 1)));
    rounds.push({ floor, parley });
  }
  const unit = 'x';
  return [
    { figure: 'requests of two floors over those of one', value: median(rounds.map((r) => r.floor)), unit },
    { figure: 'requests of two apis over those of one', value: median(rounds.map((r) => r.parley)), unit },
    {
      figure: 'the latter over the former',
      value: median(rounds.map(({ floor, parley }) => parley / floor)),
      unit,
      goal: { atLeast: 0.9 },
    },
  ];
}

async function startApis(rig: Rig, ends: AsyncDisposableStack): Promise<Server[]> {
  const { deviceIds } = rig.stage;
  const paths = deviceIds.map((id) => `/api/openapi/v1/devices/${id}`);
  const servers: Server[] = [];
  for (const log of ['two-apis-1', 'two-apis-2']) {
    const api = await startParley({ ...rig, deployment: rig.stage, log, roles: 'api' });
    ends.defer(() => api.stop());
    const headers = { authorization: `Bearer ${api.token}` };
    servers.push({ url: api.url, request: { method: 'GET', paths, headers } });
  }
  return servers;
}

async function startFloors({ stage, directory }: Rig, ends: AsyncDisposableStack): Promise<Server[]> {
  const paths = stage.deviceIds.map((id) => `/${id}`);
  const servers: Server[] = [];
  for (const log of ['two-floors-1', 'two-floors-2']) {
    const floor = await startServerProcess({
      program: floorProgram,
      log: join(directory, `${log}.log`),
      environment: sharedEnvironment(stage.databaseUrl),
    });
    ends.defer(() => floor.stop());
    servers.push({ url: floor.url, request: { method: 'GET', paths, headers: {} } });
  }
  return servers;
}

/** Of all servers together, which share the connections. */
async function requestsPerSecond(
  { generator }: Rig,
  servers: readonly Server[],
  seconds: number,
): Promise<number> {
  const connections = CONNECTIONS / servers.length;
  const results = await Promise.all(
    servers.map(({ url, request }) => putLoad(generator, { ...request, url, connections, seconds })),
  );
  return results.reduce((sum, result) => sum + result.requests / result.seconds, 0);
}

/** What so many processes let one key do in its first minute, as a share of its limit. Quick: in a few seconds of it. */
async function admittedShare(rig: Rig, processes: number, goal: Figure['goal']): Promise<Figure> {
  const own = await openRoleProcesses(rig, `parley_rate_${processes}`);
  try {
    const { databaseUrl } = own.deployment;
    const [deviceId = ''] = await seed(databaseUrl);
    const settings = { RATE_LIMIT_PER_MINUTE: String(limitPerMinute) };
    const apis = [];
    for (let n = 0; n < processes; n++) apis.push(await own.start('api', settings));
    const [first] = apis;
    const token = first === undefined ? '' : await own.token(first);
    const loads = apis.map(({ url }) =>
      countLoad(rig.generator, {
        method: 'GET',
        url,
        paths: [`/api/openapi/v1/devices/${deviceId}`],
        headers: { authorization: `Bearer ${token}` },
        connections: 4,
        seconds: rig.effort.warmUpSeconds === 0 ? 5 : 59,
      }),
    );
    const admitted = (await Promise.all(loads)).reduce((sum, load) => sum + load.requests - load.refused, 0);
    const of = processes === 1 ? 'one process' : `${processes} processes`;
    return {
      figure: `admitted in a minute by ${of}, over the limit`,
      value: admitted / limitPerMinute,
      unit: 'x',
      ...(goal && { goal }),
    };
  } finally {
    await own.close();
  }
}
