import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDescribedApi } from './openapi/described-api.ts';
import type { ApiOperation } from './openapi/operations.ts';
import type { ApiRequest } from './openapi/requests.ts';
import { encodeRequest, type WireRequest } from './openapi/wire.ts';

const api = await startDescribedApi();
const team = await api.createObjects();
const key = api.key.token;
const teamKey = (await api.issueKey({ teamId: team['teams'] ?? '' })).token;
const guarded = api.operations.filter(({ open }) => !open);
const nothing = '019a0000-0000-7000-8000-000000000000';

/** A request with every error except token and route. */
function faulty(operation: ApiOperation): ApiRequest {
  const request = api.requestFor(operation, team);
  const path = Object.fromEntries(
    operation.pathParameters.map((name) => [name, name === 'id' ? nothing : 'none']),
  );
  return { ...request, path, query: [['zz', '1']], body: { zz: 1 }, upload: null, headers: {} };
}

const reasonOf = (json: unknown) => (json as { details?: { reason: string } }).details?.reason;

test('checks the token first', async () => {
  for (const operation of guarded) {
    const wire = encodeRequest(faulty(operation), 'forged');
    const requests: WireRequest[] = [
      wire,
      { ...wire, target: `${wire.target.split('?')[0]}/nope` },
      { ...wire, body: Buffer.from('{') },
    ];
    for (const request of requests) {
      assert.equal((await api.wire.send(request)).status, 401, `${operation.id} ${request.target}`);
    }
  }
});

test('then checks the route, before the body and the scope', async () => {
  for (const operation of guarded) {
    const wire = encodeRequest(faulty(operation), teamKey);
    const requests: WireRequest[] = [
      { ...wire, target: `${wire.target.split('?')[0]}/nope/nope/nope` },
      { ...wire, target: `${wire.target.split('?')[0]}/nope/nope/nope`, body: Buffer.from('{') },
      { ...wire, method: 'OPTIONS' },
    ];
    for (const request of requests) {
      const { status, json } = await api.wire.send(request);
      assert.deepEqual(
        [status, reasonOf(json)],
        [404, 'route_not_found'],
        `${operation.id} ${request.target}`,
      );
    }
  }
});

test('then checks the scope, before the body, the query and the id', async () => {
  const above = guarded.filter(({ roles }) => roles.team.length === 0);
  assert.ok(above.length >= 9);
  for (const operation of above) {
    for (const body of [{ zz: 1 }, undefined]) {
      const answer = await api.wire.send(encodeRequest({ ...faulty(operation), body }, teamKey));
      assert.deepEqual([answer.status, reasonOf(answer.json)], [403, 'scope'], operation.id);
    }
    const wire = { ...encodeRequest(faulty(operation), teamKey), body: Buffer.from('{') };
    assert.equal((await api.wire.send(wire)).status, 403, operation.id);
  }
});

test("returns 403 for members that a team's key may not change, whatever else the body holds", async () => {
  const update = guarded.filter(({ id }) => id === 'updateTeam');
  assert.equal(update.length, 1);
  for (const operation of update) {
    for (const member of ['plan_name', 'paying', 'banned', 'quotas']) {
      const request = { ...faulty(operation), body: { zz: 1, name: 7, [member]: 'x' } };
      const answer = await api.wire.send(encodeRequest(request, teamKey));
      assert.deepEqual([answer.status, reasonOf(answer.json)], [403, 'scope'], member);
      assert.equal((await api.wire.send(encodeRequest(request, key))).status, 400, member);
    }
    const within = await api.wire.send(encodeRequest({ ...faulty(operation), body: { name: 7 } }, teamKey));
    assert.equal(within.status, 400);
  }
});

test('then checks body and query, before the id', async () => {
  for (const operation of guarded) {
    const good = { ...api.requestFor(operation, team), path: faulty(operation).path, headers: {} };
    const wire = encodeRequest(good, key);
    const bare = wire.headers.slice(0, 2);
    const requests: WireRequest[] = [
      encodeRequest({ ...good, query: [['zz', '1']] }, key),
      encodeRequest({ ...good, query: [['zz', '1']], path: { ...good.path, id: 'no-uuid' } }, key),
      { ...wire, headers: [...bare, 'content-type', 'application/json'], body: Buffer.from('{') },
      { ...wire, headers: [...bare, 'content-type', 'application/json'], body: Buffer.from('{"zz":1}') },
    ];
    for (const request of requests) {
      assert.equal((await api.wire.send(request)).status, 400, `${operation.id} ${request.target}`);
    }
  }
});

test('then checks the id', async () => {
  const withId = guarded.filter(
    // A contact without data is exported as empty.
    ({ method, pathParameters }) =>
      pathParameters.length > 0 && method !== 'PUT' && !pathParameters.includes('number'),
  );
  for (const operation of withId) {
    const request = { ...api.requestFor(operation, team), path: faulty(operation).path };
    const { status, json } = await api.wire.send(encodeRequest(request, key));
    assert.equal(status, 404, operation.id);
    assert.notEqual(reasonOf(json), 'route_not_found', operation.id);
  }
});

test('reports issues of body and query together', async () => {
  for (const operation of guarded.filter(({ body, query }) => body !== null && query !== null)) {
    const request = { ...faulty(operation), query: [['zy', '1'] as const] };
    const { json } = await api.wire.send(encodeRequest(request, key));
    const { details } = json as { details: { issues: { path: string }[] } };
    const paths = details.issues.map(({ path }) => path);
    assert.ok(paths.includes('zz') && paths.includes('zy'), `${operation.id}: ${paths}`);
  }
});
