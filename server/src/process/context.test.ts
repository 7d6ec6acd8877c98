import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../../test/eventually.ts';
import { openTestContext } from '../../test/harness.ts';
import { createEmptyDatabase } from '../../test/test-database.ts';

test('closes its connections when the context cannot be created', async () => {
  const database = await createEmptyDatabase();
  after(() => database.drop());
  await assert.rejects(openTestContext(database.url), /"installation" does not exist/);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query(
        'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      assert.equal(rows.length, 0);
      // Idle connections would be closed later than this timeout.
    }, 5_000);
  } finally {
    await client.end();
  }
});
