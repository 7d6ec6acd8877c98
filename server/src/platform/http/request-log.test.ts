import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { operation, success } from './operation.ts';

const lines: Record<string, unknown>[] = [];
const log = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(JSON.parse(chunk.toString()));
    done();
  },
});

const id = '01a20647-ab53-7226-a9d2-192e4a6ef092';
const Thing = Type.Object({ id: Type.String() });

const app = await createApp({
  logger: createLogger('info', log),
  trustedProxies: [],
  authenticate: () => ({ keyId: 'pk_test', scope: { kind: 'all' }, role: null }),
  requestRate: null,
  corsOrigins: [],
  routes: [
    (scope) => {
      const shared = { tag: 'Things', access: 'globalKey' } as const;
      scope.post(
        '/api/openapi/v1/things',
        operation({
          ...shared,
          id: 'createThing',
          summary: 'Create',
          description: 'For this test',
          body: Type.Object({ name: Type.String() }),
          data: Thing,
        }),
        async () => success({ id }),
      );
    },
  ],
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

/** Returns the line of this request. */
async function request(path: string, body: object = {}): Promise<Record<string, unknown>> {
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer x',
    'x-request-id': `r-${lines.length}`,
  };
  const response = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.text();
  const line = lines.find(({ reqId }) => reqId === headers['x-request-id']);
  return line ?? assert.fail(`no line for ${path} in ${JSON.stringify(lines)}`);
}

test('logs the reason, the address and the path of a refused request, without its query', async () => {
  const {
    status,
    reason,
    address: from,
    path,
  } = await request('/api/openapi/v1/things?name=Ada', { nome: 1 });
  assert.deepEqual(
    { status, reason, from, path },
    {
      status: 400,
      reason: 'validation',
      from: '127.0.0.1',
      path: '/api/openapi/v1/things',
    },
  );
});

test('logs no phone number of a path', async () => {
  for (const number of ['+15550199', '%2B15550199', '15550199'])
    assert.equal(
      (await request(`/api/openapi/v1/contacts/${number}/export`)).path,
      '/api/openapi/v1/contacts/(number)/export',
    );
});

test('logs the id of a created object', async () => {
  const { status, createdId, reason } = await request('/api/openapi/v1/things', { name: 'one' });
  assert.deepEqual({ status, createdId, reason }, { status: 200, createdId: id, reason: undefined });
});
