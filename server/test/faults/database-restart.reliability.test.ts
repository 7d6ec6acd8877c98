import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { connectionRoutes } from '../../src/devices/connection.routes.ts';
import { deviceRoutes } from '../../src/devices/devices.routes.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { installJobSchema } from '../../src/platform/jobs/job-schema.ts';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../devices.ts';
import { eventually } from '../eventually.ts';
import { startScratchServer } from '../scratch-server.ts';
import { silent } from '../simulated-network.ts';

/** Long enough for each pool to reconnect on a busy machine. */
const leaseSeconds = 6;

test('moves no device when the database is down for longer than a lease', async () => {
  const database = await startScratchServer();
  after(() => database.remove());
  await migrate(database.url);
  await installJobSchema(database.url, { ...silent, trace: () => undefined });
  const app = await startDevicesApp({
    database,
    routes: (deps) => [deviceRoutes(deps), connectionRoutes(deps)],
  });
  const { db } = app.context;
  await app.startPool({ leaseSeconds });
  await app.startPool({ leaseSeconds });
  const team = await addTeamWithBot(db);
  // Placement alternates between the pools, because each device goes to the pool with more free capacity.
  for (let device = 0; device < 4; device += 1) await linkDevice(app, await addDevice(app, team), newPhone());
  const placements = async () => {
    const { rows } = await sql<{ id: string; pool_id: string; pool_url: string }>`
      select id, pool_id, pool_url from devices where connected order by id`.execute(db);
    return rows;
  };
  const before = await placements();
  assert.equal(new Set(before.map(({ pool_url }) => pool_url)).size, 2);

  const epochs = async () => {
    const { rows } = await sql<{ epoch: number }>`select epoch from devices order by id`.execute(db);
    return rows.map(({ epoch }) => epoch);
  };
  const epochsBefore = await epochs();

  await database.stop('immediate');
  // Longer than every lease.
  await delay(leaseSeconds * 1000 + 500);
  await database.start();
  await eventually(async () => {
    const now = await epochs();
    assert.ok(
      now.every((epoch, index) => epoch > (epochsBefore[index] ?? 0)),
      'every pool has reconnected',
    );
  });
  await eventually(async () => assert.deepEqual(await placements(), before));
});
