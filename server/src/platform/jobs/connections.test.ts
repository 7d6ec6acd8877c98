import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '../../../test/test-database.ts';
import { JobConnections } from './connections.ts';

const database = await createTestDatabase();
after(() => database.drop());

test('applies the session timeouts to the connections of the job library', async (t) => {
  const connections = new JobConnections(database.url, { warn: () => undefined });
  connections.on('error', () => undefined);
  t.after(() => connections.end());
  const { rows } = await connections.query(
    `select name, setting from pg_settings
     where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
  );
  assert.deepEqual(rows, [
    { name: 'idle_in_transaction_session_timeout', setting: '10000' },
    { name: 'lock_timeout', setting: '10000' },
    { name: 'statement_timeout', setting: '60000' },
  ]);
});
