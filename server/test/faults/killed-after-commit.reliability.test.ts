import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { newId } from '../../src/shared/ids.ts';
import { type Api, type ApiResponse, createApiClient } from '../api-client.ts';
import { startDevicesApp } from '../devices.ts';
import { assertCountsAreExact, settle } from './invariants.ts';
import { repetitions } from './repetitions.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';
import { type Operation, prepareOperations } from './workload.ts';

/**
 * Kills an API at a fault point in every operation that takes an Idempotency-Key: once each, or 50 times in total with
 * `FULL_FAULTS=1`. An API and a pool in this process check the result.
 */
const kills = repetitions(7, 50);
const killsHalfway = repetitions(3, 15);

const app = await startDevicesApp();
const { db } = app.context;
await app.startPool();
const deeds = await prepareOperations(app);
const processes = await serverProcesses({
  ROLES: 'api',
  DATABASE_URL: app.databaseUrl,
  SIMULATOR_URL: app.network.url,
});

/** Starts the successor of a killed process. Returns a client. */
async function startArmed(point: string): Promise<ServerProcess & { api: Api }> {
  const process = await processes.start({ FAULT_POINT: point });
  return { ...process, api: await createApiClient(process.url, app.key.token) };
}

const ask = (api: Api, { path, body }: Operation, key: string): Promise<ApiResponse> =>
  api('POST', path, { body: body(), headers: { 'idempotency-key': key } });

/** Starts the operation in a process that dies before it responds. */
async function dieOf(process: ServerProcess & { api: Api }, deed: Operation, key: string): Promise<void> {
  const answer = await ask(process.api, deed, key).catch(() => null);
  assert.equal(answer, null, `the process was to die of it: ${JSON.stringify(answer?.body)}`);
  await process.ended;
}

async function assertDoneOnce(deed: Operation, answer: ApiResponse): Promise<void> {
  assert.equal(answer.headers.get('idempotent-replayed'), 'true', JSON.stringify(answer.body));
  assert.ok(await deed.isFirstResult(answer), JSON.stringify(answer.body));
  assert.equal(await deed.times(), 1);
}

test('refuses FAULT_POINT outside tests', () => {
  assert.throws(() => readConfig({ FAULT_POINT: 'once.after_commit' }), /FAULT_POINT: is only for tests/);
});

test('tests every operation that takes an Idempotency-Key', async () => {
  const document = JSON.parse(await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const operations: { operationId: string; parameters?: { name: string }[] }[] = Object.values(
    document.paths,
  ).flatMap((path) => Object.values(Object(path)));
  const idempotent = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
  );
  assert.deepEqual(idempotent.map(({ operationId }) => operationId).sort(), Object.keys(deeds).sort());
});

test('takes effect once if the process dies after the commit; a retry returns the first result', async () => {
  const names = Object.keys(deeds);
  let process = await startArmed('once.after_commit');
  for (let kill = 0; kill < kills; kill += 1) {
    const deed = await deeds[names[kill % names.length] ?? '']?.();
    assert.ok(deed);
    const key = newId();
    await dieOf(process, deed, key);
    process = await startArmed('once.after_commit');
    const repeated = await ask(process.api, deed, key);
    await assertDoneOnce(deed, repeated);
    const again = await ask(process.api, deed, key);
    assert.deepEqual([again.status, again.body], [repeated.status, repeated.body]);
  }
  await process.kill();
  await assertCountsAreExact(app.context);
});

describe('an operation killed before its external call', () => {
  const stepwise = ['createBot', 'uploadDocument', 'sendMessage'] as const;
  for (const [index, name] of stepwise.entries()) {
    test(`${name}: in flight for a while, then a retry succeeds and it takes effect once`, async () => {
      for (let kill = index; kill < killsHalfway; kill += stepwise.length) {
        const deed = await deeds[name]?.();
        assert.ok(deed);
        const key = newId();
        await dieOf(await startArmed('once.after_begin'), deed, key);
        const tooSoon = await ask(app.api, deed, key);
        assert.equal(tooSoon.body.details?.reason, 'idempotency_in_flight');
        await sql`update idempotency_keys set claimed_until = now() where key = ${key}`.execute(db);
        const repeated = await ask(app.api, deed, key);
        await settle(app.context);
        await assertDoneOnce(deed, await ask(app.api, deed, key));
        assert.ok(await deed.isFirstResult(repeated), JSON.stringify(repeated.body));
      }
      await assertCountsAreExact(app.context);
    });
  }
});

test('sends a message after a retry if the process died while preparing it', async () => {
  const written = await deeds['sendMessage']?.();
  assert.ok(written);
  const body = { ...Object(written.body()), ai_generates_message: true };
  const deed = { ...written, body: () => body };
  const key = newId();
  await dieOf(await startArmed('once.after_prepare'), deed, key);
  assert.equal((await ask(app.api, deed, key)).body.details?.reason, 'idempotency_in_flight');
  await sql`update idempotency_keys set claimed_until = now() where key = ${key}`.execute(db);
  assert.equal((await ask(app.api, deed, key)).status, 200);
  await assertDoneOnce(deed, await ask(app.api, deed, key));
});
