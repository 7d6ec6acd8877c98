import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { eventually } from '../test/eventually.ts';
import { openTestContext } from '../test/harness.ts';
import { createEmptyDatabase } from '../test/test-database.ts';

test('context that cannot be laid leave no connection open', async () => {
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
      // Before what is merely idle is closed for that.
    }, 5_000);
  } finally {
    await client.end();
  }
});
