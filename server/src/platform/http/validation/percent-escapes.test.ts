import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness.ts';

const { api } = await startTestApp();

const message = 'must be percent-encoded UTF-8';
const unknown = 'is not a known field';

test('reports an invalid percent escape once per query parameter', async () => {
  for (const [query, issues] of [
    ['name=%FF', [{ path: 'name', message }]],
    ['name=%', [{ path: 'name', message }]],
    ['name=100%', [{ path: 'name', message }]],
    ['name=%zz&limit=1', [{ path: 'name', message }]],
    ['name=%C3', [{ path: 'name', message }]],
    ['name=%C0%AF', [{ path: 'name', message }]],
    ['name=%ED%A0%80', [{ path: 'name', message }]],
    ['n%61me=%C3%28', [{ path: 'name', message }]],
    ['zz=%zz', [{ path: 'zz', message: unknown }]],
    ['%zz=1', [{ path: '%zz', message: unknown }]],
    ['5=%zz', [{ path: '[5]', message: unknown }]],
    ['=%zz', [{ path: '(query)', message: 'must not have a field with an empty name' }]],
    [`${'z'.repeat(300)}=%zz`, [{ path: `${'z'.repeat(199)}…`, message: unknown }]],
    [
      'name=%FF&zz=1',
      [
        { path: 'name', message },
        { path: 'zz', message: unknown },
      ],
    ],
  ] as const) {
    const { status, body } = await api('GET', `/documents?${query}`);
    assert.deepEqual([status, body.details?.reason, query], [400, 'validation', query]);
    assert.deepEqual(body.details.issues, issues, query);
  }
});

test('decodes valid percent escapes', async () => {
  for (const query of [
    'name=%25FF',
    'name=100%25',
    'name=%C3%89cole',
    'name=a%20b+c',
    'n%61me=x',
    'name=%F0%9F%93%84',
  ]) {
    assert.equal((await api('GET', `/documents?${query}`)).status, 200, query);
  }
});
