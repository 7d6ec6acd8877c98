import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startDevice, stopDevice } from '../../src/devices/connection.queries.ts';
import { deleteDeviceRow, insertDevice, selectDevicesById } from '../../src/devices/devices.queries.ts';
import { lockOrphanedDevices } from '../../src/devices/hosting.sql.ts';
import { reserveCapacity } from '../../src/devices/pools/pools.sql.ts';
import { type Ownership, writeConnected, writeDisconnected } from '../../src/devices/session-state.sql.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import {
  assignDevices,
  deleteEmptyPools,
  endLease,
  insertPool,
  lockFreeCapacity,
  moveDevices,
  renewLease,
  writeDraining,
} from '../../src/pool/lease.queries.ts';
import { writeEntries } from '../../src/pool/session-store.queries.ts';
import { addTeamWithBot } from '../devices.ts';
import { repetitions } from '../faults/repetitions.ts';
import { openTestContext } from '../harness.ts';
import { createTestDatabase } from '../test-database.ts';
import { arbitraryGroups, checkModel, replay } from './check-model.ts';
import {
  type Grant,
  type LeaseAnswer,
  type LeaseOperation,
  type Leases,
  leaseSpecification,
} from './leases-specification.ts';
import { clockStart, setClock } from './set-clock.ts';
import type { System } from './specification.ts';

const database = await createTestDatabase();
const clock = await setClock(database.url);
const context = await openTestContext(database.url);
after(async () => {
  await context.close();
  await clock.close();
  await database.drop();
});
const { db } = context;
const team = await addTeamWithBot(db);
const allTeams = { kind: 'all' as const };

/** Deletes all pools and devices. */
async function startLeases(): Promise<System<LeaseOperation, LeaseAnswer>> {
  await sql`delete from devices`.execute(db);
  await sql`delete from pools`.execute(db);
  await sql`delete from device_sessions`.execute(db);
  return { perform, visibleState };
}

async function perform(operation: LeaseOperation): Promise<LeaseAnswer> {
  switch (operation.kind) {
    case 'register':
      return register(operation);
    case 'place':
      return place();
    case 'delete pools':
      return db.transaction().execute(deleteEmptyPools);
    case 'wait':
      await clock.advance(operation.seconds);
      return null;
    case 'restart the database':
      await clock.restart();
      return null;
  }
  if ('pool' in operation) return performOnPool(operation.kind, String(operation.pool));
  if ('device' in operation) return performOnDevice(operation.kind, String(operation.device));
  return write(operation.kind, operation.grant as Grant, operation.entry);
}

async function register(given: { url: string; capacity: number; leaseSeconds: number }): Promise<string> {
  const id = newId();
  await insertPool(db, { ...given, id, draining: false });
  return id;
}

function place(): Promise<{ device: string; pool: string } | null> {
  return db.transaction().execute(async (tx) => {
    const reserved = await reserveCapacity(tx);
    if (reserved === null) return null;
    const device = newId();
    await insertDevice(
      tx,
      device,
      { team_id: team.teamId, bot_id: team.botId, name: 'Desk', network: 'simulator' },
      reserved,
    );
    return { device, pool: reserved.poolId };
  });
}

async function performOnPool(
  kind: 'renew' | 'take over' | 'drain' | 'move devices' | 'end',
  id: string,
): Promise<LeaseAnswer> {
  switch (kind) {
    case 'renew':
      return (await renewLease(db, id)) !== null;
    case 'drain':
      await writeDraining(db, id);
      return null;
    case 'end':
      await db.transaction().execute((tx) => endLease(tx, id, 'pool_stopped'));
      return null;
    case 'take over':
      return db.transaction().execute(async (tx) => {
        const { room, draining } = await lockFreeCapacity(tx, id);
        const url = await readPoolUrl(id);
        const taken = room === 0 ? [] : await lockOrphanedDevices(tx, room, draining ? url : null);
        if (taken.length > 0) await assignDevices(tx, { id, url }, taken);
        return taken;
      });
    case 'move devices': {
      const { rows } = await sql<{ id: string }>`select id from devices where pool_id = ${id}`.execute(db);
      return db.transaction().execute((tx) =>
        moveDevices(
          tx,
          id,
          rows.map((row) => row.id),
        ),
      );
    }
  }
}

async function readPoolUrl(id: string): Promise<string> {
  const { rows } = await sql<{ url: string }>`select url from pools where id = ${id}`.execute(db);
  return rows[0]?.url ?? '';
}

async function performOnDevice(kind: 'start' | 'stop' | 'delete', id: string): Promise<LeaseAnswer> {
  await db.transaction().execute(async (tx) => {
    if (kind === 'start') await startDevice(tx, id, null);
    if (kind === 'stop') await stopDevice(tx, id);
    if (kind === 'delete') await deleteDeviceRow(tx, { id, team_id: team.teamId });
  });
  return null;
}

function write(
  kind: 'store' | 'write connected' | 'write disconnected',
  grant: Grant,
  entry: string,
): Promise<boolean> {
  const owner: Ownership = {
    deviceId: grant.device,
    teamId: team.teamId,
    poolId: grant.pool,
    epoch: grant.epoch,
  };
  switch (kind) {
    case 'store':
      return writeEntries(db, owner, [{ kind: 'creds', id: 'main', sealed: Buffer.from(entry) }]);
    case 'write connected':
      return writeConnected(db, owner, `+${Number.parseInt(grant.device.slice(-10), 16)}`);
    case 'write disconnected':
      return writeDisconnected(db, owner, 'connection_lost');
  }
}

async function visibleState(): Promise<unknown> {
  const { rows: pools } = await sql`
    select id, extract(epoch from lease_until - ${clockStart}::timestamptz)::float8 as until, draining, ended,
           devices as "deviceCount"
    from pools order by id`.execute(db);
  const { rows: devices } = await sql<{ id: string }>`
    select id, pool_id as owner, epoch, status = 'started' as started,
           (select convert_from(value_sealed, 'UTF8') from device_sessions where device_id = id) as entry
    from devices order by id`.execute(db);
  const selected = await selectDevicesById(
    db,
    devices.map(({ id }) => ({ scope: allTeams, id })),
  );
  return {
    pools: pools.map((row) => ({ ...(row as object) })),
    devices: devices.map((row, n) => ({ ...row, connected: selected[n]?.connected })),
  };
}

/** A pool with a valid lease never exceeds its capacity, and its device count is exact. */
function assertInvariants({ pools, devices, now }: Leases): void {
  for (const { id, deviceCount, capacity, superseded } of pools.filter((pool) => pool.until > now)) {
    const owned = devices.filter(({ owner }) => owner === id).length;
    assert.ok(
      deviceCount <= capacity && owned <= deviceCount,
      `${owned} devices, ${deviceCount} counted, capacity ${capacity}`,
    );
    if (!superseded) assert.equal(owned, deviceCount);
  }
}

const anyPosition = fc.nat(50);
/** Prefers the latest ones, which can still change. */
const latest = fc.oneof(fc.nat(2), anyPosition);
const kind = <Kind extends LeaseOperation['kind']>(value: Kind) => fc.constant(value);
const concurrent: fc.Arbitrary<LeaseOperation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('register'),
      url: fc.constantFrom('http://left', 'http://right'),
      capacity: fc.nat(3),
      leaseSeconds: fc.constantFrom(10, 15),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('place') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('renew'), pool: latest }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('take over'), pool: latest }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('drain' as const, 'move devices' as const, 'end' as const),
      pool: latest,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete pools') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('start' as const, 'stop' as const, 'delete' as const),
      device: anyPosition,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('store' as const, 'write connected' as const, 'write disconnected' as const),
      grant: latest,
      entry: fc.stringMatching(/^[a-z]{3}$/),
    }),
  },
);
const single: fc.Arbitrary<LeaseOperation> = fc.oneof(
  { weight: 8, arbitrary: concurrent },
  { weight: 2, arbitrary: fc.record({ kind: kind('wait'), seconds: fc.constantFrom(1, 5, 10, 15) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('restart the database') }) },
);

const initialState = (): Leases => ({
  now: clock.now(),
  startedAt: clock.startedAt(),
  pools: [],
  devices: [],
  grants: [],
});

test("a device's connection status expires with the lease of its pool", async () => {
  await replay(leaseSpecification, initialState(), await startLeases(), [
    [{ kind: 'register', url: 'http://left', capacity: 1, leaseSeconds: 10 }],
    [{ kind: 'place' }],
    [{ kind: 'start', device: 0 }],
    [{ kind: 'write connected', grant: 0, entry: '' }],
    [{ kind: 'wait', seconds: 10 }],
    [{ kind: 'write disconnected', grant: 0, entry: '' }],
  ]);
});

test("another pool takes over a dead pool's devices with a new epoch and counts them", async () => {
  const end = await replay(leaseSpecification, initialState(), await startLeases(), [
    [{ kind: 'register', url: 'http://left', capacity: 2, leaseSeconds: 10 }],
    [{ kind: 'place' }],
    [{ kind: 'wait', seconds: 10 }],
    [{ kind: 'register', url: 'http://right', capacity: 1, leaseSeconds: 10 }],
    [{ kind: 'take over', pool: 0 }],
    [{ kind: 'place' }],
  ]);
  assert.deepEqual(
    end.devices.map(({ epoch }) => epoch),
    [2],
  );
});

test('a database restart extends an expired lease once, then other pools take over', async () => {
  const end = await replay(leaseSpecification, initialState(), await startLeases(), [
    [{ kind: 'register', url: 'http://left', capacity: 1, leaseSeconds: 10 }],
    [{ kind: 'place' }],
    [{ kind: 'wait', seconds: 10 }],
    [{ kind: 'restart the database' }],
    [{ kind: 'register', url: 'http://right', capacity: 1, leaseSeconds: 15 }],
    [{ kind: 'take over', pool: 0 }],
    [{ kind: 'wait', seconds: 10 }],
    [{ kind: 'take over', pool: 0 }],
  ]);
  assert.deepEqual(
    end.devices.map(({ epoch }) => epoch),
    [2],
  );
});

test('a stopped session cannot overwrite its successor on the same pool', async () => {
  await replay(leaseSpecification, initialState(), await startLeases(), [
    [{ kind: 'register', url: 'http://left', capacity: 1, leaseSeconds: 10 }],
    [{ kind: 'place' }],
    [{ kind: 'start', device: 0 }],
    [{ kind: 'stop', device: 0 }],
    [{ kind: 'start', device: 0 }],
    [{ kind: 'store', grant: 0, entry: 'new' }],
    [{ kind: 'store', grant: 1, entry: 'old' }],
  ]);
});

test('a device has one owner, only the owner writes, and device counts are exact', async () => {
  await checkModel(arbitraryGroups(single, concurrent), repetitions(80, 3000), async (groups) => {
    await clock.advance(60);
    await replay(leaseSpecification, initialState(), await startLeases(), groups, assertInvariants);
  });
});
