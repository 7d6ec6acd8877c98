import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { continueOperation, DatabaseLost, DatabaseNotReached } from '../database/connection-errors.ts';
import { createLogger } from '../shared/logger.ts';
import type { Actor } from './actor.ts';
import { createApp } from './app.ts';
import { unavailable } from './errors.ts';
import type { App } from './fastify-app.ts';
import { operation } from './operation.ts';

const broken = () => Object.assign(new Error('terminating connection'), { code: '57P01' });
const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });
const notReached = () => new DatabaseNotReached(new Error('connect ECONNREFUSED'));
const actor: Actor = { keyId: 'pk_test', scope: { kind: 'all' }, role: null };

/** Errors that the handler and authentication throw. */
const fails: { handler: () => unknown; authentication: (() => Error) | null } = {
  handler: () => notReached(),
  authentication: null,
};

function routes(app: App): void {
  const declared = { summary: 'Fails', description: 'For this test', tag: 'Test', data: Type.Object({}) };
  const fail = async () => {
    throw fails.handler();
  };
  app.get('/read', operation({ ...declared, id: 'read', access: 'anyKey' }), fail);
  app.post('/look', operation({ ...declared, id: 'look', access: 'anyKey', readOnly: true }), fail);
  app.post('/write', operation({ ...declared, id: 'write', access: 'anyKey' }), fail);
  app.post(
    '/repeatable',
    operation({ ...declared, id: 'repeatable', access: 'anyKey', idempotent: true }),
    fail,
  );
}

const lines: string[] = [];
const app = await createApp({
  logger: createLogger('error', { write: (line) => void lines.push(line) }),
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

test('returns 503 while the database is unreachable', async () => {
  fails.handler = notReached;
  assert.deepEqual(await answerOf('GET', '/read'), away);
  assert.deepEqual(await answerOf('POST', '/look'), away);
  assert.deepEqual(await answerOf('POST', '/write'), away);
});

test('returns 503 for a read and 500 for a write when the connection is lost', async () => {
  fails.handler = broken;
  assert.deepEqual(await answerOf('GET', '/read'), away);
  assert.deepEqual(await answerOf('POST', '/look'), away);
  assert.deepEqual(await answerOf('POST', '/write'), unknown);
});

for (const [what, failure] of [
  ['becomes unreachable in the middle of it', notReached],
  ['reports a deadlock in the middle of it', deadlock],
] as const) {
  test(`returns 500 for a write when the database ${what}`, async () => {
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

test('returns 500 for an untranslated deadline, whose code is a number', async () => {
  fails.handler = () => new DOMException('Timed out after 20000 ms', 'TimeoutError');
  assert.deepEqual(await answerOf('POST', '/write'), {
    said: [500, 'INTERNAL_ERROR', 'internal'],
    retryAfter: undefined,
  });
});

test('mentions the Idempotency-Key of an unknown outcome only if the operation accepts one', async () => {
  fails.handler = broken;
  const readError = async (url: string) =>
    (await app.inject({ method: 'POST', url, headers: { authorization: 'Bearer x' } })).json().error;
  assert.match(await readError('/repeatable'), /Retry with the same Idempotency-Key/);
  assert.doesNotMatch(await readError('/write'), /Idempotency-Key/);
});

test('returns 503 when the connection is lost during authentication', async () => {
  fails.authentication = broken;
  assert.deepEqual(await answerOf('POST', '/write'), away);
  fails.authentication = notReached;
  assert.deepEqual(await answerOf('POST', '/write'), away);
  fails.authentication = null;
});

test('logs an error for a 503 only if it has a cause', async () => {
  const refuse = async (cause?: Error) => {
    fails.handler = () => unavailable('too_many_streams', 'Too many event streams are opening', 2, cause);
    lines.length = 0;
    assert.equal((await answerOf('GET', '/read')).retryAfter, '2');
    return lines.length;
  };
  assert.equal(await refuse(), 0);
  assert.equal(await refuse(new Error('out of memory')), 1);
});

test('names the request in the log line of its error', async () => {
  fails.handler = () => new Error('a defect');
  lines.length = 0;
  const { headers } = await app.inject({ url: '/read', headers: { authorization: 'Bearer x' } });
  const [line, ...more] = lines.map((text) => JSON.parse(text));
  assert.deepEqual(more, []);
  assert.deepEqual([line.reqId, line.err.message], [headers['x-request-id'], 'a defect']);
});
