import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import pg from 'pg';
import { startScratchServer } from './scratch-server.ts';

const server = await startScratchServer();
after(() => server.remove());

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('listens only on loopback', async () => {
  assert.deepEqual(await query('SHOW listen_addresses'), [{ listen_addresses: '127.0.0.1' }]);
});

test('keeps its data and address over a restart', async () => {
  await query('create table kept as select 1 as value');
  for (const mode of ['fast', 'immediate'] as const) {
    await server.stop(mode);
    await assert.rejects(query('select'), { code: 'ECONNREFUSED' });
    await server.start();
    assert.deepEqual(await query('select value from kept'), [{ value: 1 }]);
  }
});

test('leaves no files after removal', async () => {
  const other = await startScratchServer({ tcp: false });
  await other.remove();
  assert.equal(existsSync(other.dataDir), false);
});
