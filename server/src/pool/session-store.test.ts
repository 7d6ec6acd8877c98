import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { createOwnedDevice, expireLease, transferOwnership } from '../../test/owned-device.ts';
import { lockOrphanedDevices } from '../devices/hosting.sql.ts';
import { lockIfOwned } from '../devices/session-state.sql.ts';
import { createGroupedRetries } from '../platform/shared/grouped-retries.ts';
import { NotOwner } from '../ports/messaging-network/messaging-network.ts';
import { createConnectedBatcher } from './connected-batcher.ts';
import { assignDevices } from './lease.queries.ts';
import { createSessionEntryLoader } from './session-entry-loader.ts';
import { createSessionEntryWriter } from './session-entry-writer.ts';
import { createSessionRecord, PhoneInUse } from './session-record.ts';
import { createOwnedStore } from './session-store.ts';

const context = await startTestContext();
const { db } = context;

const own = () => createOwnedDevice(db);
const retries = createGroupedRetries();
const storeDeps = {
  ...context,
  readEntries: createSessionEntryLoader(context),
  writeEntries: createSessionEntryWriter({ ...context, retries }),
};
const recordDeps = { ...context, retries, batcher: createConnectedBatcher(context) };
const keyOf = (id: string, value: string) => ({ kind: 'key', id, value: Buffer.from(value) });
const entries = [{ kind: 'creds', id: 'main', value: Buffer.from('the credentials') }];

test('seals session state, returns it as written, and removes it when null is written', async () => {
  const owner = await own();
  const store = createOwnedStore(storeDeps, owner);
  await store.write([...entries, { kind: 'key', id: '1', value: Buffer.from('one') }]);
  await store.write([{ kind: 'key', id: '1', value: null }]);
  assert.deepEqual(
    await store.read('creds', ['main', 'other']),
    new Map([['main', Buffer.from('the credentials')]]),
  );
  assert.equal((await store.read('key', ['1'])).size, 0);
  const { rows } = await sql<{ text: string }>`
    select encode(value_sealed, 'escape') as text from device_sessions where device_id = ${owner.deviceId}`.execute(
    db,
  );
  assert.ok(rows.every(({ text }) => !text.includes('credentials')));
});

test('batches the reads of several sessions, and one failure does not affect the others', async () => {
  const failedBatches: unknown[] = [];
  const readEntries = createSessionEntryLoader({
    db,
    logger: { warn: (...line: unknown[]) => void failedBatches.push(line) },
  });
  const stores = [await own(), await own()].map((owner) =>
    createOwnedStore({ ...storeDeps, readEntries }, owner),
  );
  for (const [n, store] of stores.entries()) {
    await store.write(['a', 'b'].map((id) => ({ kind: 'key', id, value: Buffer.from(`${id}${n}`) })));
  }
  const readTogether = async (...all: [store: number, ...ids: string[]][]) => {
    const results = await Promise.allSettled(all.map(async ([n, ...ids]) => stores[n]?.read('key', ids)));
    return results.map((result) =>
      result.status === 'fulfilled'
        ? [...(result.value ?? [])].map(([id, value]) => `${id} ${value}`).sort()
        : 'failed',
    );
  };
  const read = await readTogether([0, 'a', 'b'], [1, 'b', 'none'], [0], [1, 'a']);
  assert.deepEqual(read, [['a a0', 'b b0'], ['b b1'], [], ['a a1']]);
  assert.deepEqual(failedBatches, [], 'one statement read all entries');
  assert.deepEqual(await readTogether([0, 'a'], [1, 'half a \0'], [1, 'b']), [['a a0'], 'failed', ['b b1']]);
  assert.equal(failedBatches.length, 1);
});

test('batches the writes of several sessions, and only the session that lost its device fails', async () => {
  const owners = [await own(), await own(), await own()];
  let statements = 0;
  const counting = db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const write = createSessionEntryWriter({ ...context, db: counting, retries });
  const stores = owners.map((owner) => createOwnedStore({ ...storeDeps, writeEntries: write }, owner));
  const [, lost] = owners;
  assert.ok(lost);
  await Promise.all(stores.map((store, n) => store.write([keyOf('a', `${n}`), keyOf('b', `${n}`)])));
  assert.equal(statements, 1);
  await transferOwnership(db, lost);
  const written = await Promise.allSettled(
    stores.map((store, n) => store.write([keyOf('a', `later ${n}`), { kind: 'key', id: 'b', value: null }])),
  );
  assert.deepEqual(
    written.map((result) => (result.status === 'fulfilled' ? null : result.reason.name)),
    [null, 'NotOwner', null],
  );
  const stored = await Promise.all(
    stores.map(async (store) => [...(await store.read('key', ['a', 'b'])).values()].map(String).sort()),
  );
  assert.deepEqual(stored, [['later 0'], ['1', '1'], ['later 2']]);
});

test('writes the state of other sessions while the row of one device is locked', async () => {
  const [locked, free] = [await own(), await own()];
  const [waiting, other] = [locked, free].map((owner) => createOwnedStore(storeDeps, owner));
  assert.ok(waiting && other);
  const written = await db.transaction().execute(async (tx) => {
    await sql`select from devices where id = ${locked.deviceId} for update`.execute(tx);
    const writing = waiting.write([keyOf('a', 'waited')]);
    await other.write([keyOf('a', 'did not wait')]);
    return { writing };
  });
  await written.writing;
  assert.equal(String((await waiting.read('key', ['a'])).get('a')), 'waited');
});

test('writes the state of other sessions when the database refuses that of one', async () => {
  const stores = [await own(), await own()].map((owner) => createOwnedStore(storeDeps, owner));
  const written = await Promise.allSettled(
    stores.map((store, n) => store.write([keyOf(n === 0 ? 'half a \0' : 'a', `${n}`)])),
  );
  assert.deepEqual(
    written.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
});

test('rejects a sealed entry that was moved to another device', async () => {
  const [owner, thief] = [await own(), await own()];
  await createOwnedStore(storeDeps, owner).write(entries);
  await sql`update device_sessions set device_id = ${thief.deviceId} where device_id = ${owner.deviceId}`.execute(
    db,
  );
  await assert.rejects(createOwnedStore(storeDeps, thief).read('creds', ['main']));
});

for (const [what, becomeStale] of [
  ['whose device was taken over', transferOwnership],
  ['with an expired lease, before any takeover,', expireLease],
] as const) {
  test(`an owner ${what} writes nothing, neither state nor row`, async () => {
    const stale = await own();
    await becomeStale(db, stale);
    await assert.rejects(createOwnedStore(storeDeps, stale).write(entries), NotOwner);
    const record = createSessionRecord(recordDeps, stale);
    await assert.rejects(record.up('+15550100'), NotOwner);
    await assert.rejects(record.unlinked('banned'), NotOwner);
    assert.equal(await db.transaction().execute((tx) => lockIfOwned(tx, stale)), false);
    const { rows } = await sql`
    select from devices where id = ${stale.deviceId} and (connected or blocked or status = 'stopped')
    union all select from device_sessions where device_id = ${stale.deviceId}`.execute(db);
    assert.equal(rows.length, 0);
  });
}

test('a takeover skips a device while its owner writes, and fences the owner afterwards', async () => {
  const owner = await own();
  const { poolId } = await own();
  await expireLease(db, owner);
  const takeOver = () =>
    db.transaction().execute(async (tx) => {
      const deviceIds = (await lockOrphanedDevices(tx, 100)).filter((id) => id === owner.deviceId);
      await assignDevices(tx, { id: poolId, url: 'http://next' }, deviceIds);
      return deviceIds.length;
    });
  await db.transaction().execute(async (writing) => {
    await sql`select from devices where id = ${owner.deviceId} for share`.execute(writing);
    assert.equal(await takeOver(), 0);
  });
  assert.equal(await takeOver(), 1);
  await assert.rejects(createOwnedStore(storeDeps, owner).write(entries), NotOwner);
  await createOwnedStore(storeDeps, { ...owner, poolId, epoch: 2 }).write(entries);
});

// One statement writes few keys of several devices, and another one many keys of a device.
for (const count of [1, 100]) {
  test(`a takeover skips a device until the write of ${count} keys of its owner has ended`, async () => {
    const takeOver = () => db.transaction().execute((tx) => lockOrphanedDevices(tx, 100));
    // On a busy machine, the write reaches its lock timeout before the takeover. It then finds that its lease has expired.
    await eventually(async () => {
      const owner = await own();
      const store = createOwnedStore(storeDeps, owner);
      const entries = Array.from({ length: count }, (_, n) => keyOf(`${n}`, 'a key'));
      await store.write(entries);
      const writing = await db.transaction().execute(async (tx) => {
        await sql`select from device_sessions where device_id = ${owner.deviceId} for update`.execute(tx);
        const written = store.write(entries);
        written.catch(() => undefined);
        await waitForLockWaiter(db, 'device_sessions');
        await expireLease(db, owner);
        return { written, orphaned: await takeOver() };
      });
      assert.ok(!writing.orphaned.includes(owner.deviceId));
      await writing.written;
      assert.ok((await takeOver()).includes(owner.deviceId));
    });
  });
}

test('rejects a phone that is linked to another device', async () => {
  const [first, second] = [await own(), await own()];
  await createSessionRecord(recordDeps, first).paired('+15550150');
  await assert.rejects(createSessionRecord(recordDeps, second).paired('+15550150'), PhoneInUse);
});
