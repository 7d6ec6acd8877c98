import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, addTeamWithBot, linkDevice, startDevicesApp } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { silent } from '../../../test/simulated-network.ts';
import { startPool } from '../../pool/pool.ts';
import { SimulatorNetwork } from '../../ports/messaging-network/simulator.ts';

test('attributes nothing that a device receives to the request that connected it', async () => {
  const app = await startDevicesApp();
  const { context, network: simulated } = app;
  const { db } = context;
  const network = new SimulatorNetwork(() => simulated.url, silent);
  // In the process of the api, as with `npm start`.
  const pool = await startPool({
    ...context,
    leaseDb: db,
    network,
    config: { host: '127.0.0.1', port: 0, url: null, capacity: 9, leaseSeconds: 15 },
  });
  after(async () => {
    await pool.close();
    await network.close();
  });
  const deviceId = await addDevice(app, await addTeamWithBot(db));
  await linkDevice(app, deviceId, '+15550100');
  await simulated.write({ from: '+15550199', to: '+15550100', image_base64: 'iVBORw0KGgo=' });
  await eventually(async () => {
    const { rows } = await sql`select from messages where device_id = ${deviceId}`.execute(db);
    assert.equal(rows.length, 1);
  });
  const { rows } = await sql<{ operation: string; object_type: string }>`
    select operation, object_type from audit_log where object_type = 'message'`.execute(db);
  assert.deepEqual(rows, []);
});
