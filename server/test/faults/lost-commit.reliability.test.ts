import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../src/platform/shared/ids.ts';
import { type Api, type ApiResponse, createApiClient } from '../api-client.ts';
import { startDevicesApp } from '../devices.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { assertCountsAreExact, settle } from './invariants.ts';
import { startLostCommitProxy } from './lost-commit-proxy.ts';
import { type Operation, prepareOperations } from './workload.ts';

const app = await startDevicesApp();
const { db } = app.context;
await app.startPool();
const operations = await prepareOperations(app);
const proxy = await startLostCommitProxy(app.databaseUrl);
const proxied = await openTestContext(proxy.url, { replacements: { fileStore: app.context.fileStore } });
const { baseUrl } = await startApiOn(proxied);
after(async () => {
  await proxied.close();
  proxy.close();
});
const api = await createApiClient(baseUrl, app.key.token);

const send = (client: Api, { path, body }: Operation, key: string): Promise<ApiResponse> =>
  client('POST', path, { body: body(), headers: { 'idempotency-key': key } });

/** Runs an operation and loses the acknowledgement of its n-th commit, counted from 0. */
async function runWithLostCommit(operation: Operation, key: string, commit: number): Promise<ApiResponse> {
  proxy.loseCommitAfter(commit);
  const answer = await send(api, operation, key);
  assert.ok(proxy.hasLostCommit(), `no acknowledgement was lost: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Operations with an intent complete it with their second commit. */
const operationsWithIntent = new Set(['createBot', 'uploadDocument']);

describe('when the acknowledgement of the commit is lost', () => {
  for (const [name, prepare] of Object.entries(operations)) {
    test(`${name}: reports an unknown outcome, takes effect once, and a retry returns the first result`, async () => {
      const operation = await prepare();
      const key = newId();
      const answer = await runWithLostCommit(operation, key, operationsWithIntent.has(name) ? 1 : 0);
      assert.deepEqual([answer.status, answer.body.details?.reason], [500, 'outcome_unknown']);
      const repeated = await send(app.api, operation, key);
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true', JSON.stringify(repeated.body));
      assert.ok(await operation.isFirstResult(repeated), JSON.stringify(repeated.body));
      assert.equal(await operation.times(), 1);
    });
  }
});

describe('when the acknowledgement of the intent is lost', () => {
  for (const name of operationsWithIntent) {
    test(`${name}: stays in flight until its claim expires, then a retry completes it once`, async () => {
      const operation = await operations[name]?.();
      assert.ok(operation);
      const key = newId();
      assert.equal((await runWithLostCommit(operation, key, 0)).status, 500);
      assert.equal((await send(app.api, operation, key)).body.details?.reason, 'idempotency_in_flight');
      await sql`update idempotency_keys set claimed_until = now() where key = ${key}`.execute(db);
      const repeated = await send(app.api, operation, key);
      await settle(app.context);
      assert.ok(await operation.isFirstResult(repeated), JSON.stringify(repeated.body));
      assert.equal(await operation.times(), 1);
    });
  }
});

test('usage counters match the rows afterwards', () => assertCountsAreExact({ db }));
