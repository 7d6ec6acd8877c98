import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { selectAuditLog } from './audit.queries.ts';

const { db } = await startTestContext();

test('finds the rows of a time without reading those of other times', async () => {
  await sql`
    insert into audit_log (id, at, operation, object_type)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '1970-01-01', 'updateTeam', 'team'
    from generate_series(1, 5000) n`.execute(db);
  await sql`insert into audit_log (operation, object_type) values ('deleteTeam', 'team')`.execute(db);
  await sql`analyze audit_log`.execute(db);
  const list = (within: { since: string } | { until: string }) =>
    rowsRead(db, 'audit_log', async (tx) => {
      const { rows } = await selectAuditLog(tx, { kind: 'all' }, { page: 1, limit: 20, ...within });
      assert.equal(rows[0]?.operation, 'since' in within ? 'deleteTeam' : 'updateTeam');
    });
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const read = await list({ since: hourAgo });
  assert.ok(read <= 4, `${read} rows`);
  await list({ until: hourAgo });
});
