import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { measureP99s } from '../../server/test/hostile-uploads/measure-latency.ts';
import { createDatabase } from '../rig/list-database.ts';
import { median } from '../rig/median.ts';
import { p99sDuring } from '../rig/p99s-during.ts';
import { newDeployment, startParley } from '../rig/parley-process.ts';
import { seed } from '../rig/seed.ts';
import type { FigureRow } from './row.ts';

const intervalSeconds = 2;

/** Compares the latency of the api while the job deletes expired messages with its latency at rest. */
export const purge: FigureRow = {
  name: 'purge',
  work: 'GET /devices/{id} while expired messages are deleted, all in one process',
  async measure(rig) {
    const count = rig.effort.warmUpSeconds === 0 ? 20_000 : 1_000_000;
    await using ends = new AsyncDisposableStack();
    const databaseUrl = await createDatabase(rig, 'purge');
    const [deviceId = ''] = await seed(databaseUrl);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    ends.defer(() => client.end());
    await insertExpired(client, deviceId, count);
    const deployment = newDeployment(databaseUrl);
    const parley = await startParley({ ...rig, deployment, log: 'purge', roles: 'api,pool,worker' });
    ends.defer(() => parley.stop());
    const target = { ...parley, path: `/api/openapi/v1/devices/${deviceId}` };
    await measureP99s(target, 1, intervalSeconds);
    const idle = median(await measureP99s(target, rig.effort.pairs, intervalSeconds));

    const startedAt = performance.now();
    await client.query(`select graphile_worker.add_job('purge-expired', '{}'::json)`);
    const purged = waitUntilPurged(client);
    const during = median(await p99sDuring(target, purged, intervalSeconds));
    await purged;
    return [
      { figure: `purge of ${count} messages`, value: (performance.now() - startedAt) / 1000, unit: ' s' },
      { figure: 'p99 of GET /devices/{id} at rest', value: idle, unit: ' ms' },
      { figure: 'p99 during the purge', value: during, unit: ' ms' },
      { figure: 'ratio of the two', value: during / idle, unit: 'x', goal: { atMost: 2 } },
    ];
  },
};

/** Without triggers, which would record an event of each message. */
async function insertExpired(client: pg.Client, deviceId: string, count: number): Promise<void> {
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                           created_at)
     select gen_random_uuid(), d.team_id, d.id, '+1555' || lpad((n % 5000)::text, 6, '0'), 'in', 'contact', 'text',
            'How much is a tandem for a day?', 'expired-' || n, 'answered', now() - interval '400 days' - make_interval(secs => n)
     from devices d, generate_series(1, $2::int) n where d.id = $1`,
    [deviceId, count],
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze messages');
}

async function waitUntilPurged(client: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query('select from messages limit 1');
    if (rowCount === 0) return;
    await delay(200);
  }
}
