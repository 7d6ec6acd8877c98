import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCpuTime } from '../rig/cpu-time.ts';
import { countLoad, type LoadRequest, runLoad } from '../rig/load.ts';
import { defaultConnections } from '../rig/measure.ts';
import { median } from '../rig/median.ts';
import { sharedEnvironment, startParley } from '../rig/parley-process.ts';
import type { Rig } from '../rig/rig.ts';
import { openRoleProcesses } from '../rig/role-processes.ts';
import { seed } from '../rig/seed.ts';
import { startServerProcess } from '../rig/server-process.ts';
import type { Figure, FigureRow } from './row.ts';

const floorProgram = fileURLToPath(new URL('../floors/get-device.ts', import.meta.url));
const limitPerMinute = 6000;

/** The gain of a second api process on the same database, and the shared request rate of one key. */
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
  pid: number;
  request: LoadRequest;
}

/** One or two servers under load. */
interface LoadSummary {
  requestsPerSecond: number;
  /** CPU time of the servers in microseconds. Null if the OS does not report it. */
  cpuPerRequest: number | null;
}

/** The ratio of two servers to one. */
interface Gain {
  requests: number;
  cpuPerRequest: number | null;
}

async function compareThroughput(rig: Rig): Promise<Figure[]> {
  const { pairs, warmUpSeconds } = rig.effort;
  await using cleanup = new AsyncDisposableStack();
  const [floors, apis] = [await startFloors(rig, cleanup), await startApis(rig, cleanup)];
  if (warmUpSeconds > 0) for (const servers of [floors, apis]) await warmUp(rig, servers);
  const rounds: { floor: Gain; parley: Gain }[] = [];
  for (let round = 0; round < pairs; round++) {
    rounds.push({ floor: await measureGain(rig, floors), parley: await measureGain(rig, apis) });
  }
  const cpuRatios = rounds.flatMap(({ floor, parley }) =>
    floor.cpuPerRequest === null || parley.cpuPerRequest === null
      ? []
      : [parley.cpuPerRequest / floor.cpuPerRequest],
  );
  const unit = 'x';
  return [
    {
      figure: 'requests, two floors relative to one',
      value: median(rounds.map((r) => r.floor.requests)),
      unit,
    },
    {
      figure: 'requests, two apis relative to one',
      value: median(rounds.map((r) => r.parley.requests)),
      unit,
    },
    {
      figure: 'gain of the apis relative to the floors',
      value: median(rounds.map(({ floor, parley }) => parley.requests / floor.requests)),
      unit,
      goal: { atLeast: 0.9 },
    },
    ...(cpuRatios.length === 0
      ? []
      : [{ figure: 'the same for the CPU per request', value: median(cpuRatios), unit }]),
  ];
}

/** Warms up each server alone and then both, so that no code is compiled during the measurement. */
async function warmUp(rig: Rig, servers: readonly Server[]): Promise<void> {
  const { warmUpSeconds } = rig.effort;
  for (const server of servers) await load(rig, [server], warmUpSeconds);
  await load(rig, servers, warmUpSeconds);
}

/** Alternates between one server and both. Either server is the single one in turn, which cancels differences. */
async function measureGain(rig: Rig, servers: readonly Server[]): Promise<Gain> {
  const { secondsEach } = rig.effort;
  const alone: LoadSummary[] = [];
  const both: LoadSummary[] = [];
  for (const server of servers) {
    alone.push(await load(rig, [server], secondsEach));
    both.push(await load(rig, servers, secondsEach));
  }
  const gain = (of: (loaded: LoadSummary) => number) => sum(both.map(of)) / sum(alone.map(of));
  const isKnown = [...alone, ...both].every(({ cpuPerRequest }) => cpuPerRequest !== null);
  return {
    requests: gain(({ requestsPerSecond }) => requestsPerSecond),
    cpuPerRequest: isKnown ? gain(({ cpuPerRequest }) => cpuPerRequest ?? 0) : null,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function startApis(rig: Rig, cleanup: AsyncDisposableStack): Promise<Server[]> {
  const { deviceIds } = rig.environment;
  const paths = deviceIds.map((id) => `/api/openapi/v1/devices/${id}`);
  const servers: Server[] = [];
  for (const log of ['two-apis-1', 'two-apis-2']) {
    const api = await startParley({ ...rig, deployment: rig.environment, log, roles: 'api' });
    cleanup.defer(() => api.stop());
    const headers = { authorization: `Bearer ${api.token}` };
    servers.push({ url: api.url, pid: api.pid, request: { method: 'GET', paths, headers } });
  }
  return servers;
}

async function startFloors(
  { environment, directory }: Rig,
  cleanup: AsyncDisposableStack,
): Promise<Server[]> {
  const paths = environment.deviceIds.map((id) => `/${id}`);
  const servers: Server[] = [];
  for (const log of ['two-floors-1', 'two-floors-2']) {
    const floor = await startServerProcess({
      program: floorProgram,
      log: join(directory, `${log}.log`),
      environment: sharedEnvironment(environment.databaseUrl),
    });
    cleanup.defer(() => floor.stop());
    servers.push({ url: floor.url, pid: floor.pid, request: { method: 'GET', paths, headers: {} } });
  }
  return servers;
}

/** Loads all servers concurrently with the connections divided among them. */
async function load(
  { generator }: Pick<Rig, 'generator'>,
  servers: readonly Server[],
  seconds: number,
): Promise<LoadSummary> {
  const connections = defaultConnections / servers.length;
  const cpuTimes = () => Promise.all(servers.map(({ pid }) => readCpuTime(pid)));
  const before = await cpuTimes();
  const results = await Promise.all(
    servers.map(({ url, request }) => runLoad(generator, { ...request, url, connections, seconds })),
  );
  const after = await cpuTimes();
  const known = [...before, ...after].filter((time) => time !== null);
  const cpu =
    known.length < 2 * servers.length
      ? null
      : sum(known.slice(servers.length)) - sum(known.slice(0, servers.length));
  const requests = sum(results.map((result) => result.requests));
  return {
    requestsPerSecond: sum(results.map((result) => result.requests / result.seconds)),
    cpuPerRequest: cpu === null ? null : cpu / requests,
  };
}

/** Returns the requests of one key that the processes admit in a minute, as a share of its limit. A quick run takes 5 seconds. */
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
      figure: `admitted in a minute by ${of}, relative to the limit`,
      value: admitted / limitPerMinute,
      unit: 'x',
      ...(goal && { goal }),
    };
  } finally {
    await own.close();
  }
}
