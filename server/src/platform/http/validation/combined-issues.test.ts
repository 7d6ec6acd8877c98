import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness.ts';
import { populateTeam } from '../../../../test/team-fixture.ts';

const { api, context } = await startTestApp();
const nothing = '019a0000-0000-7000-8000-000000000000';

/** The reported paths. */
async function issuePathsOf(method: string, path: string, body: unknown): Promise<string[]> {
  const response = await api(method, path, { body });
  assert.deepEqual([response.status, response.body.details?.reason], [400, 'validation'], path);
  return response.body.details.issues.map((issue: { path: string }) => issue.path);
}

const withoutObject: [string, string, unknown, string[]][] = [
  [
    'POST',
    '/api-keys',
    { name: '', expires_at: '2020-01-01T00:00:00Z', scope: 'team', zz: 1 },
    ['expires_at', 'name', 'team_id', 'zz'],
  ],
  [
    'PATCH',
    `/teams/${nothing}?zz=1`,
    { name: '', settings: { timezone: 'Nowhere', locale: 'xx-1', reply_delay_seconds: -1 } },
    ['name', 'settings.locale', 'settings.reply_delay_seconds', 'settings.timezone', 'zz'],
  ],
  [
    'POST',
    '/bots',
    {
      temperature: 3,
      actions: [
        {
          endpoint: 'ftp://example.com',
          headers: { Host: 'x' },
          method: 'POST',
          body: [
            { key: 'a', value: '1' },
            { key: 'a', value: 'x', type: 'number' },
            { key: 'b', type: 'number' },
          ],
        },
        7,
      ],
    },
    [
      'actions[0].body[1].key',
      'actions[0].body[1].value',
      'actions[0].body[2].value',
      'actions[0].endpoint',
      'actions[0].headers',
      'actions[0].name',
      'actions[1]',
      'name',
      'team_id',
      'temperature',
    ],
  ],
  [
    'POST',
    '/send',
    { device_id: 'x', message: '', destination_number: '1', image_mime_type: 'image/png' },
    ['destination_number', 'device_id', 'image_mime_type', 'message'],
  ],
  [
    'PUT',
    '/plans/Not%20a%20name',
    { paying: 1, active_messages_monthly: 0 },
    ['features', 'name', 'paying', 'quotas'],
  ],
  ['DELETE', `/teams/${nothing}?zz=1`, { a: 1 }, ['(body)', 'zz']],
];

test('reports schema issues and rule issues in one response, sorted by path', async () => {
  for (const [method, path, body, faults] of withoutObject) {
    assert.deepEqual((await issuePathsOf(method, path, body)).sort(), faults, path);
  }
});

test('sorts issues by path, with numeric order of indices', async () => {
  const questions = Array.from({ length: 12 }, (_, n) => ({
    question: n === 2 || n === 11 ? '' : 'Why?',
    answer: 'So',
  }));
  const faults = await issuePathsOf('PATCH', `/bots/${nothing}`, { zz: 1, questions, name: '' });
  assert.deepEqual(faults, ['name', 'questions[2].question', 'questions[11].question', 'zz']);
});

test('reports no follow-up issue for an invalid member', async () => {
  const id = crypto.randomUUID();
  assert.deepEqual(await issuePathsOf('POST', '/api-keys', { name: 'k', scope: 'all', team_id: id }), [
    'scope',
  ]);
  assert.deepEqual(await issuePathsOf('POST', '/api-keys', { name: 'k', scope: 'team', team_id: 'x' }), [
    'team_id',
  ]);
  const message = { device_id: id, message: 'Hi', destination_number: '+351912345678' };
  assert.deepEqual(
    await issuePathsOf('POST', '/send', { ...message, image_url: 'ftp://x', image_mime_type: 'image/png' }),
    ['image_url'],
  );
  for (const headers of [{ all: [7] }, { all: [{ key: 7, value: 'x' }] }, { key: 7, value: 'x' }, 7]) {
    const [fault, ...more] = await issuePathsOf('PATCH', `/bots/${id}`, {
      actions: [{ name: 'a', endpoint: 'https://example.com', headers }],
    });
    assert.match(fault ?? '', /^actions\[0\]\.headers/);
    assert.deepEqual(more, []);
  }
});

test('reports all unknown references together, after input issues', async () => {
  const device = { team_id: nothing, bot_id: nothing, name: 'Desk' };
  assert.deepEqual(await issuePathsOf('POST', '/devices', device), ['bot_id', 'team_id']);
  const bot = { team_id: nothing, name: 'Bot', document_ids: [nothing] };
  assert.deepEqual(await issuePathsOf('POST', '/bots', bot), ['document_ids[0]', 'team_id']);
  assert.deepEqual(await issuePathsOf('POST', '/bots', { ...bot, name: '' }), ['name']);
});

test('reports issues that depend on a known action together with unknown documents', async () => {
  const created = await api('POST', '/teams', {
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Team' } },
  });
  const { botId } = await populateTeam(context.db, created.body.data.team.id);
  const id = crypto.randomUUID();
  const action = { id, name: 'Order', endpoint: 'https://example.com' };
  const known = { ...action, method: 'POST', body: [{ key: 'n', value: '1', type: 'number' }] };
  assert.equal((await api('PATCH', `/bots/${botId}`, { body: { actions: [known] } })).status, 200);
  const changed = { actions: [{ ...action, body: [{ key: 'n', value: 'many' }] }], document_ids: [nothing] };
  assert.deepEqual(await issuePathsOf('PATCH', `/bots/${botId}`, changed), [
    'actions[0].body[0].value',
    'document_ids[0]',
  ]);
});
