import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { readMigrations } from '../src/platform/database/migrations.ts';
import { createTestDatabase } from './test-database.ts';

const first = await createTestDatabase();
const second = await createTestDatabase();
after(async () => {
  await first.drop();
  await second.drop();
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a test database has every migration', async () => {
  const newest = (await readMigrations()).at(-1)?.version ?? 0;
  const rows = await query(first.url, 'select max(version) as version from schema_migrations');
  assert.deepEqual(rows, [{ version: newest }]);
});

test('test databases are separate', async () => {
  await query(first.url, 'create table only_here ()');
  const rows = await query(second.url, "select to_regclass('only_here') as found");
  assert.deepEqual(rows, [{ found: null }]);
});

test('drops a test database despite open connections', async () => {
  const third = await createTestDatabase();
  const client = new pg.Client({ connectionString: third.url });
  client.on('error', () => {});
  await client.connect();
  await third.drop();
  await assert.rejects(query(third.url, 'select'), { code: '3D000' });
});
