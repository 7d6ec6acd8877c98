import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../../test/test-database.ts';
import { createInstallationCheck } from './installation-check.ts';
import { readSchemaVersion } from './migrations.ts';

const database = await createTestDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
after(async () => {
  await client.end();
  await database.drop();
});

test('refuses a schema that a newer, incompatible version changed', async () => {
  const { rows } = await client.query<{ id: string }>('select id from installation');
  const schema = await readSchemaVersion();
  const reasons: string[] = [];
  const { expect, check } = createInstallationCheck(schema, (reason) => reasons.push(reason));
  expect(rows[0]?.id ?? '');
  const migrated = (version: number, incompatible: boolean) =>
    client.query(`insert into schema_migrations values ($1, 'next', '', now(), $2)`, [version, incompatible]);
  await migrated(schema + 1, false);
  await check(client);
  await migrated(schema + 2, true);
  await assert.rejects(check(client), /a newer Parley has changed the schema/);
  assert.equal(reasons.length, 1);
});
