import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDescribedApi } from './openapi/described-api.ts';
import type { ApiRequest } from './openapi/requests.ts';
import { encodeRequest } from './openapi/wire.ts';

const api = await startDescribedApi();
const team = await api.createObjects();
await api.createObjects();
const keys = { global: api.key.token, team: (await api.issueKey({ teamId: team['teams'] ?? '' })).token };
const lists = api.operations.filter(({ query }) => query.some(({ name }) => name === 'page'));
const lastPage = '9007199254740991';

interface Answer {
  data: unknown[];
  meta: { page: number; limit: number; total: number; totalPages: number };
}

async function list(request: ApiRequest, token: string, query: Record<string, string>) {
  const { status, json } = await api.wire.send(
    encodeRequest({ ...request, query: Object.entries(query), headers: {} }, token),
  );
  return { status, json: json as Answer }; // as the list's schema says
}

test('returns an empty last page with the total', async () => {
  assert.ok(lists.length >= 8);
  for (const operation of lists) {
    const request = api.requestFor(operation, team);
    const isNamed = operation.query.some(({ name }) => name === 'name');
    for (const [scope, token] of Object.entries(keys)) {
      for (const filter of isNamed ? [{}, { name: 'a' }, { name: 'nobody' }] : [{}]) {
        const about = `${operation.id} for a ${scope} key ${JSON.stringify(filter)}`;
        const first = await list(request, token, filter);
        // Lists above a team are not for its keys.
        if (first.status === 403 && scope === 'team' && operation.roles.team.length === 0) continue;
        assert.equal(first.status, 200, about);
        const { total } = first.json.meta;
        assert.ok('name' in filter || total > 0, about);
        for (const limit of ['1', '100']) {
          const { status, json } = await list(request, token, { ...filter, page: lastPage, limit });
          const meta = { page: Number(lastPage), limit: Number(limit), total };
          const totalPages = Math.ceil(total / Number(limit));
          assert.deepEqual([status, json.data, json.meta], [200, [], { ...meta, totalPages }], about);
        }
      }
    }
  }
});

test('rejects a page number beyond exact integers', async () => {
  for (const operation of lists) {
    const request = api.requestFor(operation, team);
    for (const page of ['9007199254740992', '9007199254740993', '10000000000000000', '0', '-1', '1.0']) {
      const { status, json } = await list(request, keys.global, { page });
      assert.equal(status, 400, `${operation.id} ${page} ${JSON.stringify(json)}`);
    }
  }
});
