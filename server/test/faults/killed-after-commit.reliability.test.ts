import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../src/platform/shared/ids.ts';
import { readConfig } from '../../src/process/config.ts';
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
const kills = repetitions(8, 50);
const killsBeforeCall = repetitions(3, 15);

const app = await startDevicesApp();
const { db } = app.context;
await app.startPool();
const operations = await prepareOperations(app);
const processes = await serverProcesses({
  ROLES: 'api',
  DATABASE_URL: app.databaseUrl,
  SIMULATOR_URL: app.network.url,
});

/** Starts an API that dies at the fault point. */
async function startWithFaultPoint(point: string): Promise<ServerProcess & { api: Api }> {
  const process = await processes.start({ FAULT_POINT: point });
  return { ...process, api: await createApiClient(process.url, app.key.token) };
}

const send = (api: Api, { path, body }: Operation, key: string): Promise<ApiResponse> =>
  api('POST', path, { body: body(), headers: { 'idempotency-key': key } });

/** Starts the operation in a process that dies before it responds. */
async function runUntilKilled(
  process: ServerProcess & { api: Api },
  operation: Operation,
  key: string,
): Promise<void> {
  const answer = await send(process.api, operation, key).catch(() => null);
  assert.equal(answer, null, `the process should have died: ${JSON.stringify(answer?.body)}`);
  await process.ended;
}

async function assertTookEffectOnce(operation: Operation, answer: ApiResponse): Promise<void> {
  assert.equal(answer.headers.get('idempotent-replayed'), 'true', JSON.stringify(answer.body));
  assert.ok(await operation.isFirstResult(answer), JSON.stringify(answer.body));
  assert.equal(await operation.times(), 1);
}

test('refuses FAULT_POINT outside tests', () => {
  assert.throws(
    () => readConfig({ FAULT_POINT: 'idempotency.after_commit' }),
    /FAULT_POINT: is only allowed with NODE_ENV=test/,
  );
});

test('tests every operation that takes an Idempotency-Key', async () => {
  const document = JSON.parse(await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const declared: { operationId: string; parameters?: { name: string }[] }[] = Object.values(
    document.paths,
  ).flatMap((path) => Object.values(Object(path)));
  const idempotent = declared.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
  );
  assert.deepEqual(idempotent.map(({ operationId }) => operationId).sort(), Object.keys(operations).sort());
});

test('takes effect once if the process dies after the commit; a retry returns the first result', async () => {
  const names = Object.keys(operations);
  let process = await startWithFaultPoint('idempotency.after_commit');
  for (let kill = 0; kill < kills; kill += 1) {
    const operation = await operations[names[kill % names.length] ?? '']?.();
    assert.ok(operation);
    const key = newId();
    await runUntilKilled(process, operation, key);
    process = await startWithFaultPoint('idempotency.after_commit');
    const repeated = await send(process.api, operation, key);
    await assertTookEffectOnce(operation, repeated);
    const again = await send(process.api, operation, key);
    assert.equal(again.status, repeated.status);
    assert.ok(await operation.isFirstResult(again), JSON.stringify(again.body));
  }
  await process.kill();
  await assertCountsAreExact(app.context);
});

describe('an operation killed before its external call', () => {
  const names = ['createBot', 'uploadDocument'] as const;
  for (const [index, name] of names.entries()) {
    test(`${name}: stays in flight until its claim expires, then a retry completes it once`, async () => {
      for (let kill = index; kill < killsBeforeCall; kill += names.length) {
        const operation = await operations[name]?.();
        assert.ok(operation);
        const key = newId();
        await runUntilKilled(await startWithFaultPoint('idempotency.after_begin'), operation, key);
        const tooSoon = await send(app.api, operation, key);
        assert.equal(tooSoon.body.details?.reason, 'idempotency_in_flight');
        await sql`update idempotency_keys set claimed_until = now() where key = ${key}`.execute(db);
        const repeated = await send(app.api, operation, key);
        await settle(app.context);
        await assertTookEffectOnce(operation, await send(app.api, operation, key));
        assert.ok(await operation.isFirstResult(repeated), JSON.stringify(repeated.body));
      }
      await assertCountsAreExact(app.context);
    });
  }
});

test('sends a message after a retry if the process died while preparing it', async () => {
  const sendMessage = await operations['sendMessage']?.();
  assert.ok(sendMessage);
  const body = { ...Object(sendMessage.body()), ai_generates_message: true };
  const operation = { ...sendMessage, body: () => body };
  const key = newId();
  await runUntilKilled(await startWithFaultPoint('idempotency.after_prepare'), operation, key);
  assert.equal((await send(app.api, operation, key)).body.details?.reason, 'idempotency_in_flight');
  await sql`update idempotency_keys set claimed_until = now() where key = ${key}`.execute(db);
  assert.equal((await send(app.api, operation, key)).status, 200);
  await assertTookEffectOnce(operation, await send(app.api, operation, key));
});
