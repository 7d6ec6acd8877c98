import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Database } from './database.ts';
import { createReadList } from './read-list.ts';

const [primary, replica] = [{}, {}] as [Database, Database];

test('reads from the replica, and from the primary for 10 s after the replica failed', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const warn = mock.fn();
  const readList = createReadList({ db: primary, replica, logger: { warn } });
  let isAway = false;
  const read = () =>
    readList(async (db) => {
      if (isAway && db === replica) throw new Error('away');
      return db === replica ? 'replica' : 'primary';
    });
  assert.equal(await read(), 'replica');
  isAway = true;
  assert.equal(await read(), 'primary');
  isAway = false;
  now = 9_999;
  assert.equal(await read(), 'primary');
  now = 10_000;
  assert.equal(await read(), 'replica');
  assert.equal(warn.mock.callCount(), 1);
});
