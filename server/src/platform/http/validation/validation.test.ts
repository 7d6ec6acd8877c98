import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness.ts';

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
  assert.equal(issue.message, 'must be a UUID');
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
    { path: 'text', message: 'must not be empty' },
  ]);
  assert.deepEqual(await refused(`/conversations/${id}/messages`, { text: ' \n' }), [
    { path: 'text', message: 'must not be blank or contain U+0000' },
  ]);
  assert.deepEqual(await refused(`/bots/${id}/ask`, { question: 'Why?', version: null }), [
    { path: 'version', message: 'must be one of draft, published' },
  ]);
});

test('says what each value must be', async () => {
  const id = crypto.randomUUID();
  const { details } = (await api('GET', '/teams?limit=101&page=x&paying=yes&after=1&nme=a')).body;
  assert.deepEqual(details.issues, [
    { path: 'after', message: 'must be empty or a next_cursor of this list' },
    { path: 'limit', message: 'must be at most 100' },
    { path: 'nme', message: 'is not a known field (did you mean name?)' },
    { path: 'page', message: 'must be an integer' },
    { path: 'paying', message: 'must be true or false' },
  ]);
  assert.deepEqual(await refused('/teams', undefined), [{ path: '(body)', message: 'is required' }]);
  assert.deepEqual(await refused('/teams', { user: { ...user, email: 'ada' }, team: [], extra: 1 }), [
    { path: 'extra', message: 'is not a known field' },
    { path: 'team', message: 'must be an object' },
    { path: 'user.email', message: 'must be an email address, like ana@example.com' },
  ]);
  const quotas = { bots: 'all', documents: -1 };
  const settings = { locale: 'German', reply_delay_seconds: 61 };
  assert.deepEqual((await api('PATCH', `/teams/${id}`, { body: { quotas, settings } })).body.details.issues, [
    { path: 'quotas.bots', message: 'must be an integer or null' },
    { path: 'quotas.documents', message: 'must be at least 0' },
    { path: 'settings.locale', message: 'must be a language tag, such as pt-BR' },
    { path: 'settings.reply_delay_seconds', message: 'must be at most 60' },
  ]);
  assert.deepEqual(
    await refused('/send', {
      device_id: id,
      destination_number: '+15550199',
      message: 'a',
      image_url: 'x',
      image_mime_type: 'png',
    }),
    [
      { path: 'image_mime_type', message: 'must be a media type, like image/png' },
      { path: 'image_url', message: 'must be an http(s) URL' },
    ],
  );
  assert.deepEqual(await refused('/webhooks', { url: 'https://example.com', events: [] }), [
    { path: 'events', message: 'must have at least 1 item' },
  ]);
  assert.deepEqual(await refused(`/bots/${id}/actions/${id}/try`, { arguments: { day: {}, seats: 2 } }), [
    { path: 'arguments.day', message: 'must be a string, a number, true or false' },
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
