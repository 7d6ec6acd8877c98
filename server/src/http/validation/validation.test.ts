import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';

const { api } = await startTestApp();

const user = { name: 'Ada', email: 'ada@example.com' };
const refused = async (path: string, body: unknown) => {
  const answer = await api('POST', path, { body });
  assert.equal(answer.status, 400);
  return answer.body.details.issues;
};

test('rejects text that cannot be stored and names its path', async () => {
  const half = 'must not contain half a surrogate pair';
  assert.deepEqual(await refused('/teams', { user, team: { name: 'a\ud800' } }), [
    { path: 'team.name', message: half },
  ]);
  const action = { name: 'Order', endpoint: 'https://example.com', headers: { 'X-\udc00': 'x' } };
  const issues = await refused('/bots', { team_id: crypto.randomUUID(), name: 'a\u0000', actions: [action] });
  assert.ok(issues.some((issue: { path: string }) => issue.path === 'name'));
  assert.ok(issues.some((issue: { message: string }) => issue.message === half));
});

test('accepts complete surrogate pairs', async () => {
  const { status, body } = await api('POST', '/teams', { body: { user, team: { name: 'Räder 🚲' } } });
  assert.equal(status, 200);
  assert.equal(body.data.team.name, 'Räder 🚲');
});

test('accepts UUIDs in either case and rejects URNs', async () => {
  const id = crypto.randomUUID();
  const body = (team_id: string) => ({ team_id, bot_id: id, name: 'Desk' });
  const [issue] = await refused('/devices', body(`urn:uuid:${id}`));
  assert.equal(issue.path, 'team_id');
  assert.match(issue.message, /format "uuid"/);
  assert.equal((await api('GET', `/devices?team_id=urn:uuid:${id}`)).status, 400);
  assert.equal((await api('GET', `/devices?team_id=${id.toUpperCase()}`)).status, 200);
});

test('rejects a query parameter named __proto__ as unknown', async () => {
  const { status, body } = await api('GET', '/teams?__proto__=1');
  assert.equal(status, 400);
  assert.deepEqual(body.details.issues, [{ path: '__proto__', message: 'is not a known field' }]);
});

test('reports each issue once', async () => {
  const [issue, ...more] = await refused('/teams', { user, team: { name: '' } });
  assert.equal(issue.path, 'team.name');
  assert.deepEqual(more, []);
  const blank = await refused('/teams', { user, team: { name: ' ' } });
  assert.deepEqual(blank, [
    { path: 'team.name', message: 'must not be blank or contain control characters' },
  ]);
  for (const path of ['/documents?type=odt', '/documents?type=1']) {
    const { status, body } = await api('GET', path);
    assert.equal(status, 400);
    assert.deepEqual(
      body.details.issues.map((issue: { path: string }) => issue.path),
      ['type'],
      path,
    );
  }
  const instructions = await refused('/bots', {
    team_id: crypto.randomUUID(),
    name: 'a',
    instructions: 'a\u0000',
  });
  assert.deepEqual(instructions, [
    { path: 'instructions', message: 'must not contain U+0000 or half a surrogate pair' },
  ]);
  const scopes = await refused('/api-keys', { name: 'k', scope: 'all' });
  assert.deepEqual(
    scopes.map((issue: { path: string }) => issue.path),
    ['scope'],
  );
});

test('reports one issue for an empty text or a wrong type', async () => {
  const id = crypto.randomUUID();
  assert.deepEqual(await refused(`/conversations/${id}/messages`, { text: '' }), [
    { path: 'text', message: 'must NOT have fewer than 1 characters' },
  ]);
  assert.deepEqual(await refused(`/conversations/${id}/messages`, { text: ' \n' }), [
    { path: 'text', message: 'must not be blank or contain U+0000' },
  ]);
  assert.deepEqual(await refused(`/bots/${id}/ask`, { question: 'Why?', version: null }), [
    { path: 'version', message: 'must be string' },
  ]);
});

test('reports repeated parameters and parameters without a name', async () => {
  const issuesOf = async (path: string) => (await api('GET', path)).body.details.issues;
  assert.deepEqual(await issuesOf('/teams?limit=1&limit=2&name=a&name=a'), [
    { path: 'limit', message: 'is given more than once' },
    { path: 'name', message: 'is given more than once' },
  ]);
  assert.deepEqual(await issuesOf('/teams?zz=1&zz=2&=1'), [
    { path: '(query)', message: 'must not have a field with an empty name' },
    { path: 'zz', message: 'is not a known field' },
  ]);
  assert.deepEqual(await refused('/teams', { user, team: { name: 'Team' }, '': 1 }), [
    { path: '(body)', message: 'must not have a field with an empty name' },
  ]);
});
