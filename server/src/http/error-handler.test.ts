import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { continueOperation, DatabaseLost, DatabaseNotReached } from '../database/connection-errors.ts';
import { createLogger } from '../shared/logger.ts';
import type { Actor } from './actor.ts';
import { type App, createApp } from './app.ts';
import { operation } from './operation.ts';

const broken = () => Object.assign(new Error('terminating connection'), { code: '57P01' });
const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });
const notReached = () => new DatabaseNotReached(new Error('connect ECONNREFUSED'));
const actor: Actor = { keyId: 'pk_test', scope: { kind: 'all' } };

/** What the handler throws, and what authentication does. */
const fails: { handler: () => unknown; authentication: (() => Error) | null } = {
  handler: () => notReached(),
  authentication: null,
};

function routes(app: App): void {
  const declared = { summary: 'Fails', tag: 'Test', data: Type.Object({}) };
  const fail = async () => {
    throw fails.handler();
  };
  app.get('/read', operation({ ...declared, id: 'read', access: 'any' }), fail);
  app.post('/look', operation({ ...declared, id: 'look', access: 'any', readOnly: true }), fail);
  app.post('/write', operation({ ...declared, id: 'write', access: 'any' }), fail);
  app.post(
    '/repeatable',
    operation({ ...declared, id: 'repeatable', access: 'any', idempotent: true }),
    fail,
  );
}

const app = await createApp({
  logger: createLogger('silent'),
  authenticate: async () => {
    if (fails.authentication !== null) throw fails.authentication();
    return actor;
  },
  requestRate: null,
  trustedProxies: [],
  corsOrigins: [],
  routes: [routes],
});
after(() => app.close());

async function answerOf(method: 'GET' | 'POST', url: string) {
  const { statusCode, headers, json } = await app.inject({
    method,
    url,
    headers: { authorization: 'Bearer x' },
  });
  return { said: [statusCode, json().code, json().details.reason], retryAfter: headers['retry-after'] };
}

const away = { said: [503, 'INTERNAL_ERROR', 'database_away'], retryAfter: '1' };
const unknown = { said: [500, 'INTERNAL_ERROR', 'outcome_unknown'], retryAfter: undefined };

test('while the database cannot be reached no operation begins: 503', async () => {
  fails.handler = notReached;
  assert.deepEqual(await answerOf('GET', '/read'), away);
  assert.deepEqual(await answerOf('POST', '/look'), away);
  assert.deepEqual(await answerOf('POST', '/write'), away);
});

test('a statement that the database broke off is a 503 where nothing was to change, else a 500', async () => {
  fails.handler = broken;
  assert.deepEqual(await answerOf('GET', '/read'), away);
  assert.deepEqual(await answerOf('POST', '/look'), away);
  assert.deepEqual(await answerOf('POST', '/write'), unknown);
});

for (const [what, failure] of [
  ['cannot be reached', notReached],
  ['gives way to others', deadlock],
] as const) {
  test(`a database that ${what} on the way is a 500`, async () => {
    await assert.rejects(
      continueOperation(() => Promise.reject(failure())),
      (error) => {
        fails.handler = () => error;
        return error instanceof DatabaseLost;
      },
    );
    assert.deepEqual(await answerOf('POST', '/write'), unknown);
  });
}

test('a deadline that nobody translated is an internal error, though its code is a number', async () => {
  fails.handler = () => new DOMException('Nothing within 20000 ms', 'TimeoutError');
  assert.deepEqual(await answerOf('POST', '/write'), {
    said: [500, 'INTERNAL_ERROR', 'internal'],
    retryAfter: undefined,
  });
});

test('an unknown outcome tells of the Idempotency-Key where one is taken', async () => {
  fails.handler = broken;
  const told = async (url: string) =>
    (await app.inject({ method: 'POST', url, headers: { authorization: 'Bearer x' } })).json().error;
  assert.match(await told('/repeatable'), /Retry with the same Idempotency-Key/);
  assert.doesNotMatch(await told('/write'), /Idempotency-Key/);
});

test('a database that breaks off while the caller is made known has begun nothing', async () => {
  fails.authentication = broken;
  assert.deepEqual(await answerOf('POST', '/write'), away);
  fails.authentication = notReached;
  assert.deepEqual(await answerOf('POST', '/write'), away);
  fails.authentication = null;
});
