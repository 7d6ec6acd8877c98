import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';

const { baseUrl, key } = await startTestApp();
const { port } = new URL(baseUrl);

/** Sends the request target unchanged. `fetch` would normalize it. */
const statusOf = (target: string, authorization?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const request = get({ host: '127.0.0.1', port, path: target, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
  });

test('hides without a token whether a route exists, for every form of request target', async () => {
  const good = `Bearer ${key.token}`;
  for (const host of ['', 'http://parley.example', 'HTTPS://parley.example:8443', baseUrl]) {
    for (const path of ['/api/openapi/v1/nope', '/api/openapi/v1/nope?a=/b', '/api/openapi/%761/x']) {
      assert.equal(await statusOf(host + path), 401, host + path);
      assert.equal(await statusOf(host + path, good), 404, host + path);
    }
    assert.equal(await statusOf(`${host}/api/openapi/v1/teams`), 401);
    assert.equal(await statusOf(`${host}/api/openapi/v1/teams`, good), 200);
    assert.equal(await statusOf(`${host}/elsewhere?a=/api/openapi/v1`), 404);
  }
});

test('accepts the bearer scheme in any case, followed by one or more spaces', async () => {
  const teams = '/api/openapi/v1/teams';
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ', 'Bearer     ']) {
    assert.equal(await statusOf(teams, scheme + key.token), 200, scheme);
  }
  for (const scheme of ['', 'Bearer', 'Bearer\t', 'Bearer \t', 'Bearer  x ', ' Bearerx ', 'Basic  ']) {
    assert.equal(await statusOf(teams, scheme + key.token), 401, scheme);
  }
});

test('names the methods of a known path in Allow, but not without a token', async () => {
  const authorization = `Bearer ${key.token}`;
  const send = (method: string, path: string, headers: Record<string, string> = { authorization }) =>
    fetch(`${baseUrl}/api/openapi${path}`, { method, headers });
  const allowed = async (method: string, path: string) => {
    const response = await send(method, path);
    assert.equal(response.status, 404);
    return response.headers.get('allow');
  };
  assert.equal(await allowed('PATCH', '/v1/teams?page=1'), 'GET, POST');
  assert.equal(await allowed('PATCH', '/%761/te%61ms'), 'GET, POST');
  assert.match((await allowed('PUT', `/v1/teams/${crypto.randomUUID()}`)) ?? '', /^DELETE, GET/);
  assert.equal(await allowed('GET', '/auth/token'), 'POST');
  for (const path of ['/v1/nope', '/v1/teams/a/b', '/v1/teams/'])
    assert.equal(await allowed('PUT', path), null);
  assert.equal(await allowed('GET', `/v1/teams/${crypto.randomUUID()}`), null);

  const anonymous = await send('PATCH', '/v1/teams', {});
  assert.equal(anonymous.status, 401);
  assert.equal(anonymous.headers.get('allow'), null);
});
