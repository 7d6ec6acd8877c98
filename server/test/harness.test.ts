import assert from 'node:assert/strict';
import { test } from 'node:test';
import { teamRoutes } from '../src/tenancy/teams/teams.routes.ts';
import { startTestApp } from './harness.ts';

test('returns all issues at once, 404 for an unknown object, and 401 before the route', async () => {
  const { api } = await startTestApp({
    routes: (deps) => [teamRoutes(deps)],
  });
  const bad = await api('POST', '/teams', { body: { team: { name: '', quotas: { bots: -1 } }, zz: 1 } });
  assert.equal(bad.status, 400);
  const paths = bad.body.details.issues.map((issue: { path: string }) => issue.path);
  assert.deepEqual([...new Set(paths)].sort(), ['team.name', 'team.quotas.bots', 'user', 'zz']);
  assert.equal((await api('GET', '/teams/zz')).status, 404);
  assert.equal((await api('GET', '/nope')).status, 404);
  assert.equal((await api('GET', '/nope', { token: null })).status, 401);
});
