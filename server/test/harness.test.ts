import assert from 'node:assert/strict';
import { test } from 'node:test';
import { teamRoutes } from '../src/teams/teams.routes.ts';
import { startTestApp } from './harness.ts';

test('a composed api creates a team, lists it and gets it', async () => {
  const { api } = await startTestApp({ routes: ({ db, once }) => [teamRoutes({ db, once })] });
  const created = await api('POST', '/teams', {
    body: { user: { name: 'Admin', email: 'admin@example.com' }, team: { name: 'First' } },
  });
  assert.equal(created.status, 200);
  const got = await api('GET', `/teams/${created.body.data.team.id}`);
  assert.equal(got.body.data.quotas.bots, 10);
  const listed = await api('GET', '/teams?name=irs');
  assert.deepEqual(listed.body.meta, { page: 1, limit: 20, total: 1, totalPages: 1 });
  const bad = await api('POST', '/teams', { body: { team: { name: '', quotas: { bots: -1 } }, zz: 1 } });
  assert.equal(bad.status, 400);
    JSON.stringify(bad.body),
    (await api('GET', '/teams/zz')).body,
    (await api('GET', '/nope', { token: null })).body,
  );
});
