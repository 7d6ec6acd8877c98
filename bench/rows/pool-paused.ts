import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openAnswering } from '../rig/answering-deployment.ts';
import type { FigureRow } from './row.ts';

/** Half of the default lease. */
const pauseMs = 3000;
/** Time for the pools to renew, and for others to detect devices that they could mistake for abandoned. */
const restMs = 1000;
const pausedAtOnce = 4;
const devices = 20;

/** Checks that pools keep their devices when they pause for half a lease while another pool searches for abandoned ones. */
export const poolPaused: FigureRow = {
  name: 'pool-paused',
  work: 'pools paused (SIGSTOP) for half a lease',
  async measure(rig) {
    const rounds = rig.effort.warmUpSeconds === 0 ? 1 : 5;
    const answering = await openAnswering(rig, 'parley_paused', { teams: devices, pools: pausedAtOnce });
    const { pools } = answering;
    const client = new pg.Client({ connectionString: answering.databaseUrl });
    await client.connect();
    try {
      await answering.processes.start('pool');
      const before = await readOwners(client);
      for (let round = 0; round < rounds; round++) {
        for (const pool of pools) pool.kill('SIGSTOP');
        await delay(pauseMs);
        for (const pool of pools) pool.kill('SIGCONT');
        await delay(restMs);
      }
      const after = await readOwners(client);
      const moved = [...before].filter(([device, owner]) => after.get(device) !== owner).length;
      return [
        {
          figure: `devices taken over in ${rounds * pausedAtOnce} pauses, of ${devices}`,
          value: moved,
          unit: '',
          goal: { atMost: 0 },
        },
      ];
    } finally {
      await client.end();
      await answering.close();
    }
  },
};

/** Returns the pool and the epoch of each device. The epoch rises with every change of owner. */
async function readOwners(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; owner: string }>(
    `select id, pool_id || '/' || epoch as owner from devices`,
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
