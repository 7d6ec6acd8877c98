import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portalPages } from '../src/tenancy/roles/portal-pages.ts';
import { rolesOf } from '../src/tenancy/roles/roles.ts';
import { startDescribedApi } from './openapi/described-api.ts';
import { encodeRequest } from './openapi/wire.ts';

const api = await startDescribedApi();
const objects = await api.createObjects();
const guarded = api.operations.filter(({ open }) => !open);

async function enter(role: string, pages?: string[]): Promise<string> {
  const created = await api.api('POST', '/portal-links', {
    body: { team_id: objects['teams'], role, ...(pages === undefined ? {} : { pages }) },
  });
  const opened = await api.api('POST', '/api/openapi/session/portal', {
    token: null,
    body: { token: created.body.data.url.split('#')[1] },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return opened.body.data.access_token;
}

for (const page of portalPages) {
  for (const role of ['viewer', 'agent', 'editor']) {
    test(`a portal for ${page} with the role ${role} may call exactly the operations of both`, async () => {
      const token = await enter(role, [page]);
      for (const operation of guarded) {
        const { team, portal } = rolesOf(operation.id);
        const isAllowed = team.includes(role) && portal.includes(page);
        const request = { ...api.requestFor(operation, objects), headers: {} };
        // An unknown parameter ends the request after the check of the role and before any effect.
        const query = [['no_parameter', '1']] as const;
        const { status } = await api.wire.send(encodeRequest({ ...request, query }, token));
        assert.equal(status, isAllowed ? 400 : 403, operation.id);
      }
    });
  }
}

test('every operation of a page exists, and a page needs none that only owners may call', () => {
  const known = new Set(guarded.map(({ id }) => id));
  for (const { id, roles } of guarded) {
    const { portal, team } = rolesOf(id);
    if (portal.length > 0) assert.ok(team.includes('editor'), id);
    assert.deepEqual((roles as { portal?: readonly string[] }).portal, portal, id);
  }
  const lasting = ['ApiKey', 'Member', 'User', 'Webhook', 'Link'];
  const creations = [...known].filter((id) =>
    lasting.some((noun) => id.startsWith('create') && id.endsWith(noun)),
  );
  assert.ok(creations.length >= 6);
  for (const id of creations) assert.deepEqual(rolesOf(id).portal, [], id);
});

test('only pages that edit an object show its secrets', async () => {
  const { devices, bots } = objects;
  const action = {
    name: 'Stock',
    description: 'x',
    endpoint: 'https://a.example/',
    headers: { 'X-Key': 'canary' },
  };
  await api.api('PATCH', `/bots/${bots}`, { body: { actions: [action] } });
  const see = async (pages: string[], path: string) =>
    (await api.api('GET', path, { token: await enter('editor', pages) })).body.data;
  assert.match((await see(['phones'], `/devices/${devices}`)).token, /^dt_/);
  assert.equal((await see(['bot'], `/devices?limit=1`))[0].token, '');
  assert.ok(JSON.stringify(await see(['bot'], `/bots/${bots}`)).includes('canary'));
  assert.ok(!JSON.stringify(await see(['documents'], '/bots')).includes('canary'));
});
