import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestContext } from '../../test/harness.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { createOwnedDevice, expireLease, transferOwnership } from '../../test/owned-device.ts';
import { promptly } from '../../test/promptly.ts';
import type { Ownership } from '../devices/session-state.sql.ts';
import { newId } from '../platform/shared/ids.ts';
import { createConnectedBatcher } from './connected-batcher.ts';

const context = await startTestContext();
const { db } = context;
const batcher = createConnectedBatcher(context);

const ownedDevices = (count: number): Promise<Ownership[]> =>
  Promise.all(Array.from({ length: count }, () => createOwnedDevice(db)));

const connect = (owner: Ownership, phone = newPhone()) => batcher.record(owner, phone);

async function connected(owners: readonly Ownership[]) {
  const ids = owners.map(({ deviceId }) => deviceId);
  const { rows } = await sql<{ id: string; phone_number: string }>`
    select id, phone_number from devices where connected and logged_in and id = any(${ids}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, phone_number }) => [id, phone_number]));
}

test('records connected devices in one transaction, each with its own phone', async () => {
  const owners = await ownedDevices(5);
  const phones = owners.map(() => newPhone());
  const written = await Promise.all(owners.map((owner, n) => connect(owner, phones[n])));
  assert.deepEqual(written, [true, true, true, true, true]);
  assert.deepEqual(await connected(owners), new Map(owners.map(({ deviceId }, n) => [deviceId, phones[n]])));
  const { rows } = await sql`
    select distinct xmin::text from devices where id = any(${owners.map(({ deviceId }) => deviceId)}::uuid[])`.execute(
    db,
  );
  assert.equal(rows.length, 1);
});

test('skips devices of a batch that have another owner or are stopped', async () => {
  const [taken, expired, stopped, own] = await ownedDevices(4);
  assert.ok(taken && expired && stopped && own);
  await transferOwnership(db, taken);
  await expireLease(db, expired);
  await sql`update devices set status = 'stopped' where id = ${stopped.deviceId}`.execute(db);
  const written = await Promise.all([taken, expired, stopped, own].map((owner) => connect(owner)));
  assert.deepEqual(written, [false, false, false, true]);
  assert.deepEqual([...(await connected([taken, expired, stopped, own])).keys()], [own.deviceId]);
});

test('rejects a session under an old epoch although the current owner connects in the same batch', async () => {
  const stale = await createOwnedDevice(db);
  await transferOwnership(db, stale);
  const present = { ...stale, epoch: stale.epoch + 1 };
  const [late, own] = [newPhone(), newPhone()];
  assert.deepEqual(await Promise.all([connect(stale, late), connect(present, own)]), [false, true]);
  assert.deepEqual(await connected([present]), new Map([[present.deviceId, own]]));
});

test('a phone that is linked to another device fails only its own device', async () => {
  const [first, second, other] = await ownedDevices(3);
  assert.ok(first && second && other);
  const phone = newPhone();
  assert.equal(await connect(first, phone), true);
  const results = await Promise.allSettled([connect(second, phone), connect(other)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.deepEqual([...(await connected([second, other])).keys()], [other.deviceId]);
});

test('a phone that another transaction is linking delays other devices only briefly', async () => {
  const [linking, busy, ...others] = await ownedDevices(4);
  assert.ok(linking && busy);
  const phone = newPhone();
  const late = await db.transaction().execute(async (tx) => {
    await sql`update devices set logged_in = true, phone_number = ${phone} where id = ${linking.deviceId}`.execute(
      tx,
    );
    const written = [connect(busy, phone), ...others.map((owner) => connect(owner))];
    await eventually(async () => assert.equal((await connected(others)).size, 2), 5000);
    return { results: Promise.allSettled(written) };
  });
  assert.deepEqual(
    (await late.results).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
});

test('many locked devices of one team do not delay a device of another team', async () => {
  const [busy, free] = await ownedDevices(2);
  assert.ok(busy && free);
  const siblings = Array.from({ length: 40 }, () => ({ ...busy, deviceId: newId() }));
  await sql`
    insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
    select sibling, team_id, bot_id, name, status, pool_id, pool_url
    from devices, unnest(${siblings.map(({ deviceId }) => deviceId)}::uuid[]) as sibling
    where id = ${busy.deviceId}`.execute(db);
  const late = await db.transaction().execute(async (tx) => {
    await sql`select from devices where team_id = ${busy.teamId} for update`.execute(tx);
    const written = Promise.all(siblings.map((owner) => connect(owner)));
    await waitForLockWaiter(db);
    assert.equal(await promptly(connect(free)), true);
    return { written };
  });
  assert.ok((await late.written).every((connected) => connected));
});

test('other devices do not wait for a locked device, which connects once it is unlocked', async () => {
  const [busy, free, another] = await ownedDevices(3);
  assert.ok(busy && free && another);
  const failures: unknown[] = [];
  const warn = (...line: unknown[]) => void failures.push(line);
  const { record: write } = createConnectedBatcher({ db, logger: { warn } });
  const connect = (owner: Ownership) => write(owner, newPhone());
  const late = await db.transaction().execute(async (tx) => {
    await sql`select from devices where id = ${busy.deviceId} for update`.execute(tx);
    const written = connect(busy);
    assert.deepEqual(await Promise.all([connect(free), connect(another)]), [true, true]);
    assert.deepEqual(failures, [], 'they were written in one batch, without a lock timeout');
    await waitForLockWaiter(db);
    return { written };
  });
  assert.equal(await late.written, true);
});
