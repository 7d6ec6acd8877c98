import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { DatabaseNotReached, StatementTimedOut } from './connection-errors.ts';
import type { Database } from './database.ts';
import { createReadList } from './read-list.ts';

const [primary, replica] = [{}, {}] as [Database, Database];

const withCode = (code: string) => Object.assign(new Error(code), { code });

function createReplica(t: TestContext) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const warn = mock.fn();
  const readList = createReadList({ db: primary, replica, logger: { warn } });
  let failure: Error | null = null;
  const read = () =>
    readList(async (db) => {
      if (failure !== null && db === replica) throw failure;
      return db === replica ? 'replica' : 'primary';
    });
  return {
    read,
    warn,
    failWith: (error: Error | null) => {
      failure = error;
    },
    setNow: (ms: number) => {
      now = ms;
    },
  };
}

for (const error of [new DatabaseNotReached(new Error('away')), withCode('57P01'), withCode('ECONNRESET')]) {
  test(`reads from the primary for 10 s after the replica failed with ${error.message}`, async (t) => {
    const { read, warn, failWith, setNow } = createReplica(t);
    assert.equal(await read(), 'replica');
    failWith(error);
    assert.equal(await read(), 'primary');
    failWith(null);
    setNow(9_999);
    assert.equal(await read(), 'primary');
    setNow(10_000);
    assert.equal(await read(), 'replica');
    assert.equal(warn.mock.callCount(), 1);
  });
}

for (const code of ['40001', '40P01']) {
  test(`reads once from the primary when replication cancelled the read with ${code}`, async (t) => {
    const { read, warn, failWith } = createReplica(t);
    failWith(withCode(code));
    assert.equal(await read(), 'primary');
    failWith(null);
    assert.equal(await read(), 'replica');
    assert.equal(warn.mock.callCount(), 0);
  });
}

for (const error of [withCode('22008'), withCode('57014'), new StatementTimedOut()]) {
  test(`neither repeats a read that failed with ${error.message} nor pauses the replica`, async (t) => {
    const { read, failWith } = createReplica(t);
    failWith(error);
    await assert.rejects(read(), error);
    failWith(null);
    assert.equal(await read(), 'replica');
  });
}
