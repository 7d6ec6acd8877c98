/** Five hostile teams, one of each kind, until this thread receives a message. */
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { makeEndlessPdf } from '../../server/test/documents/make-pdf.ts';
import { field, file, multipartBody } from '../../server/test/hostile-uploads/multipart.ts';
import {
  type HostileCounts,
  type HostileReport,
  type HostileTeam,
  type HostileTeams,
  hostileRates,
} from './hostile-teams.ts';
import { openPhones } from './network-phone.ts';

/** Contacts that wait for an action which hangs. */
const waitingContacts = 320;
const hostileUploads = 20;
const lockSeconds = 5;
/** Of one kind at a time. */
const maxRunning = 64;

const agent = new Agent({ keepAlive: true });
const teams = workerData as HostileTeams; // from `runDuringAttack`
const stopped = new AbortController();
const counts: HostileCounts = {};
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
const pause = (ms: number) => delay(ms, undefined, { signal: stopped.signal }).catch(() => undefined);

/** Repeats `act` and counts its result, or `failed`, until the attack stops. */
async function repeat(
  kind: string,
  everyMs: number,
  act: (n: number) => Promise<string | number>,
): Promise<void> {
  for (let n = 0; !stopped.signal.aborted; n += 1) {
    const started = performance.now();
    const outcome = await act(n).catch(() => 'failed');
    count(`${kind} ${outcome}`);
    await pause(Math.max(everyMs - (performance.now() - started), 1));
  }
}

/** Like `repeat` at a fixed rate, without waiting for earlier results. */
async function flood(
  kind: string,
  perSecond: number,
  act: (n: number) => Promise<string | number>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const started = performance.now();
  for (let n = 0; !stopped.signal.aborted; n += 1) {
    await pause(Math.max(started + (n * 1000) / perSecond - performance.now(), 0));
    if (running.size >= maxRunning) continue;
    const acting = act(n)
      .catch(() => 'failed')
      .then((outcome) => count(`${kind} ${outcome}`))
      .finally(() => running.delete(acting));
    running.add(acting);
  }
  await Promise.all(running);
}

/** `fetch` would take several times the processor time. */
async function call(
  { token }: HostileTeam,
  path: string,
  { body, ...init }: RequestOptions & { body?: string | Buffer } = {},
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(
    `${teams.apiUrl}/api/openapi/v1${path}`,
    { ...init, agent, headers, signal: stopped.signal },
    resolve,
  )
    .once('error', reject)
    .end(body);
  const response = await promise;
  for await (const _ of response);
  return response.statusCode ?? 0;
}

const send = (team: HostileTeam, n: number): Promise<number> =>
  call(team, '/send', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      device_id: team.id,
      destination_number: `+1777${1_000_000 + (n % 100)}`,
      message: 'Hello',
    }),
  });

const boundary = 'parley-hostile-teams';

function upload(team: HostileTeam): Promise<number> {
  const body = multipartBody([field('team_id', team.teamId), file('a.pdf', makeEndlessPdf())], boundary);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return call(team, '/documents', { method: 'POST', headers, body });
}

/** Locks the newest messages of a team, their conversations and its usage, as a stuck transaction would. */
async function lockRows(client: pg.Client, { teamId }: HostileTeam): Promise<string> {
  await client.query('begin');
  await client.query(
    `select from messages where id in (select id from messages where team_id = $1 order by created_at desc limit 20) for update`,
    [teamId],
  );
  await client.query('select from conversations where team_id = $1 for update', [teamId]);
  await client.query('select from monthly_usage where team_id = $1 for update', [teamId]);
  await pause(lockSeconds * 1000);
  await client.query('rollback');
  return 'held';
}

// Of this thread. Hostile clients do not compete with the server for its processors.
os.setPriority(os.constants.priority.PRIORITY_LOW);
const phones = openPhones(teams.networkUrl);
const client = new pg.Client({ connectionString: teams.databaseUrl });
await client.connect();
const write = async (team: HostileTeam, from: string, text: string) => {
  await phones.write({ from, to: team.phone, text });
  return 'written';
};
const contact = (n: number) => `+1888${1_000_000 + n}`;

parentPort?.once('message', () => stopped.abort());
await send(teams.lockedRows, 0);
parentPort?.postMessage('started');
const started = performance.now();
await Promise.all([
  flood('hanging action', hostileRates['hanging action'], (n) =>
    write(teams.hangingAction, contact(n % waitingContacts), 'Look up an order'),
  ),
  ...Array.from({ length: hostileUploads }, () =>
    repeat('upload', 250, () => upload(teams.explodingDocuments)),
  ),
  flood('flood', hostileRates.flood, () => write(teams.inboundFlood, contact(0), 'When are you open?')),
  flood('send to locked rows', 10, (n) => send(teams.lockedRows, n)),
  repeat('lock', 100, () => lockRows(client, teams.lockedRows)),
  flood('request', hostileRates.request, () => call(teams.manyRequests, `/devices/${teams.manyRequests.id}`)),
]);
phones.close();
agent.destroy();
await client.end();
const report: HostileReport = { counts, seconds: (performance.now() - started) / 1000 };
parentPort?.postMessage(report);
