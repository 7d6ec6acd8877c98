import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../../test/embedded-members.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { handleConnectionErrors } from './broken-connections.ts';

const database = await createTestDatabase();
after(() => database.drop());

test('logs a connection that breaks while idle, but not one that breaks while it closes', async () => {
  const pool = new pg.Pool({ connectionString: database.url });
  const lines: { err: object }[] = [];
  handleConnectionErrors(pool, { warn: (line: { err: object }) => void lines.push(line) }, 'it broke');
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  await queryOnce(database.url, `select pg_terminate_backend(${rows[0]?.pid})`);
  await eventually(async () => assert.equal(lines.length, 1));
  assert.ok(lines[0] && 'code' in lines[0].err && !('client' in lines[0].err));
  await pool.end();
  pool.emit('error', new Error('cut off'), new pg.Client());
  assert.equal(lines.length, 1);
});

test('fails the statement of a connection that breaks in use, and logs nothing', async () => {
  const pool = new pg.Pool({ connectionString: database.url });
  const lines: object[] = [];
  handleConnectionErrors(pool, { warn: (line: object) => void lines.push(line) }, 'it broke');
  const client = await pool.connect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  await assert.rejects(client.query('select pg_terminate_backend(pg_backend_pid())'), { code: '57P01' });
  await ended;
  client.release(true);
  await pool.end();
  assert.deepEqual(lines, []);
});
