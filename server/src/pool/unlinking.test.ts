import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../test/harness.ts';
import { newId } from '../platform/shared/ids.ts';
import type { MessagingNetwork } from '../ports/messaging-network/messaging-network.ts';
import { unlinkPending } from './unlinking.ts';

const context = await startTestContext();
const { db } = context;

const unreachable: Pick<MessagingNetwork, 'openSession'> = {
  openSession({ events }) {
    queueMicrotask(() => void events.down('connection_lost'));
    return {
      send: () => Promise.reject(new Error('not connected')),
      logout: () => Promise.reject(new Error('not connected')),
      close: () => Promise.resolve(),
    };
  },
};

test('retries a failed unlink every hour and keeps the credentials', async () => {
  const deviceId = newId();
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed)
    values (${deviceId}, 'creds', 'main', '\\x00')`.execute(db);
  await sql`
    insert into tombstones (id, team_id, kind, ref, attempts, next_attempt_at)
    values (${newId()}, ${newId()}, 'session', ${deviceId}, 2000, now() - interval '1 second')`.execute(db);
  assert.equal(await unlinkPending({ ...context, network: unreachable }), 1);
  const { rows } = await sql<{ last_error: string; wait: number }>`
    select t.last_error, extract(epoch from t.next_attempt_at - now())::float8 as wait
    from tombstones t join device_sessions s on s.device_id = t.ref::uuid`.execute(db);
  const [waiting, ...others] = rows;
  assert.ok(waiting);
  assert.equal(others.length, 0);
  assert.equal(waiting.last_error, 'connection_lost');
  // The column may round up to the next millisecond.
  assert.ok(waiting.wait > 3500 && waiting.wait <= 3600.001, `${waiting.wait}`);
});
