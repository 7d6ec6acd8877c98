import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { startTestApp } from '../../../test/harness.ts';
import { continueOperation } from '../database/connection-errors.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { App } from './fastify-app.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { operation, success } from './operation.ts';

const declared = {
  summary: 'Holds',
  description: 'For this test',
  tag: 'Test',
  access: 'anyKey',
  data: Type.Object({}),
} as const;

const hold = (tx: Transaction, lock: string) =>
  sql`select pg_advisory_xact_lock(hashtext(${lock}))`.execute(tx);

/** Both requests hold their first lock before either takes its second. */
const bothHold = Promise.withResolvers<void>();
let holding = 0;

const withLockTimeout = async (tx: Transaction) => {
  await sql`set local lock_timeout = '20ms'`.execute(tx);
  await hold(tx, 'held');
};

const routes = (db: Database, idempotency: Idempotency) => (app: App) => {
  const inOrder = (first: string, second: string) => () =>
    db.transaction().execute(async (tx) => {
      await hold(tx, first);
      holding += 1;
      if (holding === 2) bothHold.resolve();
      await bothHold.promise;
      await hold(tx, second);
      return success({});
    });
  app.post('/api/openapi/v1/there', operation({ ...declared, id: 'there' }), inOrder('one', 'other'));
  app.post('/api/openapi/v1/back', operation({ ...declared, id: 'back' }), inOrder('other', 'one'));
  app.post('/api/openapi/v1/lock-timeout', operation({ ...declared, id: 'lock-timeout' }), () =>
    db.transaction().execute(async (tx) => {
      await withLockTimeout(tx);
      return success({});
    }),
  );
  app.post(
    '/api/openapi/v1/prepared',
    operation({ ...declared, id: 'prepared', idempotent: true }),
    (request, reply) =>
      idempotency.withKey({ request, reply }, async (key) => {
        await db.transaction().execute(async (tx) => key?.claim(tx));
        try {
          await continueOperation(() => db.transaction().execute(withLockTimeout));
        } catch (error) {
          await key?.releaseAfter(error);
          throw error;
        }
        return success({});
      }),
  );
};

const { baseUrl, key, context } = await startTestApp({
  routes: ({ db, idempotency }) => [routes(db, idempotency)],
});

async function post(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${baseUrl}/api/openapi/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.token}`, ...headers },
  });
  const { details } = (await answer.json()) as { details?: { reason: string } };
  return [answer.status, details?.reason, answer.headers.get('retry-after')];
}

const busy = [503, 'database_busy', '1'];

test('completes one of two deadlocked requests and returns 503 for the other', async () => {
  const answers = await Promise.all([post('/there'), post('/back')]);
  assert.deepEqual(
    answers.toSorted(([a], [b]) => Number(a) - Number(b)),
    [[200, undefined, null], busy],
  );
});

test('returns 503 when a request waits too long for a lock', async () => {
  await context.db.transaction().execute(async (tx) => {
    await hold(tx, 'held');
    assert.deepEqual(await post('/lock-timeout'), busy);
  });
  assert.deepEqual(await post('/lock-timeout'), [200, undefined, null]);
});

test('releases the key when a prepared operation loses its locks', async () => {
  const headers = { 'idempotency-key': 'one' };
  await context.db.transaction().execute(async (tx) => {
    await hold(tx, 'held');
    assert.deepEqual(await post('/prepared', headers), [500, 'outcome_unknown', null]);
  });
  assert.deepEqual(await post('/prepared', headers), [200, undefined, null]);
});
