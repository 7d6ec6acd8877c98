import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getUrl } from '../../server/src/platform/shared/listening.ts';
import { pairs, questions } from '../rig/answering-deployment.ts';
import { type Chats, openChats } from '../rig/chats.ts';
import { type ConnectedDevice, type Connection, callApi, connectTeams } from '../rig/connected-devices.ts';
import { type HostileTeam, type HostileTeams, hostileKinds, runDuringAttack } from '../rig/hostile-teams.ts';
import { median } from '../rig/median.ts';
import { exchange } from '../rig/parley-process.ts';
import { percentile } from '../rig/percentile.ts';
import { openRoleProcesses } from '../rig/role-processes.ts';
import type { Figure, FigureRow } from './row.ts';

const base = '/api/openapi/v1';
const honestTeams = 9;
const maxRuns = 3;

const operations = {
  call: { name: 'API call', everyMs: 40 },
  send: { name: 'send', everyMs: 100 },
  answer: { name: 'answer', everyMs: 100 },
} as const;
type Operation = keyof typeof operations;
const operationNames = Object.keys(operations) as Operation[];

type Latencies = Record<Operation, number>;

export const fairTeams: FigureRow = {
  name: 'fair-teams',
  work: 'Nine honest teams while five hostile teams attack, one of each kind',
  async measure(rig) {
    await using ends = new AsyncDisposableStack();
    const processes = await openRoleProcesses(rig, 'parley_fair');
    ends.defer(() => processes.close());
    const hanging = await openHangingService();
    ends.defer(() => void hanging.close());
    const api = await processes.start('api', { RATE_LIMIT_PER_MINUTE: '6000' });
    await processes.start('pool');
    await processes.start('worker', { ACTION_ALLOWED_HOSTS: '127.0.0.1' });
    const { databaseUrl } = processes.deployment;
    const connection = { url: api.url, databaseUrl, token: await processes.token(api) };
    const devices = await connectTeams(connection, honestTeams, { questions: pairs });
    const hostile = await createHostileTeams(
      connection,
      processes.network.url,
      getUrl('127.0.0.1', hanging.server),
    );
    const chats = await openChats({ url: processes.network.url, journal: processes.journal });
    ends.defer(() => chats.close());
    const honest = createHonestTeams(connection, chats, devices);

    // A 99th percentile needs more values than other rows.
    const seconds = rig.effort.secondsEach * 5;
    const runs = Math.min(rig.effort.pairs, maxRuns);
    await honest.measure(seconds);
    const atRest = await measureRuns(honest, runs, seconds);
    const { result: attacked, attackRate } = await runDuringAttack(hostile, async () => {
      await hanging.untilCalled();
      return measureRuns(honest, runs, seconds);
    });
    const figures = operationNames.flatMap((operation) =>
      describeOperation(operation, atRest[operation], attacked[operation]),
    );
    return [
      ...figures,
      { figure: 'lowest hostile rate, of the planned', value: attackRate, unit: 'x', goal: { atLeast: 0.9 } },
    ];
  },
};

/** At most twice the value at rest, or at most 100 ms above it. */
const limit = (atRest: number): number => Math.ceil(Math.max(2 * atRest, atRest + 100));

const describeOperation = (operation: Operation, atRest: number, attacked: number): Figure[] => {
  const { name } = operations[operation];
  return [
    { figure: `${name}, p99 at rest`, value: atRest, unit: ' ms' },
    { figure: `${name}, p99 under attack`, value: attacked, unit: ' ms', goal: { atMost: limit(atRest) } },
    { figure: `${name}, ratio of the two`, value: attacked / atRest, unit: 'x' },
  ];
};

interface HonestTeams {
  /** Returns the 99th percentiles in milliseconds. Throws if an operation fails. */
  measure(seconds: number): Promise<Latencies>;
}

async function measureRuns(honest: HonestTeams, runs: number, seconds: number): Promise<Latencies> {
  const results: Latencies[] = [];
  while (results.length < runs) results.push(await honest.measure(seconds));
  const medianOf = (operation: Operation) => median(results.map((result) => result[operation]));
  return { call: medianOf('call'), send: medianOf('send'), answer: medianOf('answer') };
}

function createHonestTeams(
  { url, token }: Connection,
  chats: Chats,
  devices: readonly ConnectedDevice[],
): HonestTeams {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = async (path: string, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(url + base + path, { headers, ...init });
    if (!response.ok) throw new Error(`an honest team got ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  let turn = 0;
  const contact = (n: number) => `+1666${String(1_000_000 + n)}`;
  const act: Record<Operation, (device: ConnectedDevice, n: number) => Promise<unknown>> = {
    call: ({ id }) => request(`/devices/${id}`),
    send: ({ id }, n) => {
      const message = { device_id: id, destination_number: contact(n), message: 'Your bicycle is ready.' };
      return request('/send', { method: 'POST', body: JSON.stringify(message) });
    },
    answer: ({ phone }, n) =>
      chats.ask({ contact: contact(n), phone }, questions[n % questions.length] ?? ''),
  };
  const measureOperation = async (operation: Operation, seconds: number): Promise<number> => {
    const latencies = await atFixedRate(operations[operation].everyMs, seconds, async () => {
      turn += 1;
      const device = devices[turn % devices.length];
      if (device !== undefined) await act[operation](device, turn);
    });
    return percentile(latencies, 0.99);
  };
  return {
    async measure(seconds) {
      const [call = NaN, send = NaN, answer = NaN] = await Promise.all(
        operationNames.map((operation) => measureOperation(operation, seconds)),
      );
      return { call, send, answer };
    },
  };
}

/** Starts `act` at a fixed rate, even while earlier ones run. Returns their durations in milliseconds. */
async function atFixedRate(everyMs: number, seconds: number, act: () => Promise<void>): Promise<number[]> {
  const acts: Promise<number>[] = [];
  const started = performance.now();
  for (let n = 0; n * everyMs < seconds * 1000; n += 1) {
    await delay(Math.max(started + n * everyMs - performance.now(), 0));
    const begun = performance.now();
    acts.push(act().then(() => performance.now() - begun));
  }
  return Promise.all(acts);
}

/** Accepts connections and never answers. */
async function openHangingService() {
  const first = Promise.withResolvers<void>();
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    first.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, untilCalled: () => first.promise, close: () => server.close() };
}

async function createHostileTeams(
  connection: Connection,
  networkUrl: string,
  actionUrl: string,
): Promise<HostileTeams> {
  const action = { name: 'Look up an order', endpoint: `${actionUrl}/orders`, method: 'GET' };
  const [calling] = await connectTeams(connection, 1, { questions: [], actions: [action] });
  const others = await connectTeams(connection, hostileKinds.length - 1, { questions: pairs });
  const devices = [calling, ...others];
  const teams = await Promise.all(
    hostileKinds.map(async (kind, n) => {
      const device = devices[n];
      if (device === undefined) throw new Error('a hostile team has no device');
      return [kind, await giveKey(connection, device)] as const;
    }),
  );
  // One entry for each kind.
  const byKind = Object.fromEntries(teams) as Record<(typeof hostileKinds)[number], HostileTeam>;
  const { url: apiUrl, databaseUrl } = connection;
  return { apiUrl, networkUrl, databaseUrl, ...byKind };
}

async function giveKey(connection: Connection, device: ConnectedDevice): Promise<HostileTeam> {
  const { team_id: teamId } = await callApi<{ team_id: string }>(
    connection,
    'GET',
    `${base}/devices/${device.id}`,
  );
  const key = await callApi<{ key_id: string; key_secret: string }>(connection, 'POST', `${base}/api-keys`, {
    name: 'Hostile',
    scope: 'team',
    team_id: teamId,
  });
  const token = await exchange(connection.url, { id: key.key_id, secret: key.key_secret });
  return { ...device, teamId, token };
}
