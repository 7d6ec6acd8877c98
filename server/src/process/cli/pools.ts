import { setTimeout } from 'node:timers/promises';
import { presentPool } from '../../devices/pools/pools.routes.ts';
import { type PoolRow, selectPools } from '../../devices/pools/pools.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import { poolKey } from '../../pool/pool-key.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { type Deployment, withDatabase } from './open-deployment.ts';
import { formatTable } from './table.ts';

export async function listPools(input: CommandInput): Promise<number> {
  const pools = await withDatabase(input, ({ db }) => readPools(db));
  if (input.values['json'] === true) input.print(JSON.stringify(pools.map(presentPool), null, 2));
  else {
    const rows = pools.map((pool) => [
      pool.id,
      pool.url,
      pool.alive ? (pool.draining ? 'draining' : 'alive') : 'dead',
      `${pool.devices}/${pool.capacity}`,
      String(pool.connected),
      `${pool.lease_remaining_seconds.toFixed(1)} s`,
    ]);
    input.print(formatTable(['POOL', 'URL', 'STATE', 'DEVICES', 'CONNECTED', 'LEASE'], rows));
  }
  return 0;
}

/** The pool's own interface starts to drain: only the pool knows its sessions. */
export async function drainPool(input: CommandInput): Promise<number> {
  const [named = ''] = input.parameters;
  return withDatabase(input, async (deployment) => {
    const find = async () =>
      (await readPools(deployment.db)).find(({ id, url }) => id === named || url === named);
    const pool = await find();
    if (pool?.alive !== true)
      throw new CommandFailed(`There is no running pool ${named}: see parley pools list`);
    await requestDrain(pool, deployment);
    input.print(`draining ${pool.url}: ${pool.devices} devices are left`);
    while (input.values['wait'] === true) {
      const devices = (await find())?.devices ?? 0;
      if (devices === 0) break;
      input.print(`${devices} devices are left`);
      await setTimeout(1000);
    }
    return 0;
  });
}

async function requestDrain({ url }: PoolRow, { encryption }: Deployment): Promise<void> {
  const headers = { authorization: `Bearer ${poolKey(encryption)}` };
  const response = await fetch(new URL('/drain', url), { method: 'POST', headers }).catch(
    (error: unknown) => {
      throw new CommandFailed(`${url} cannot be reached from this machine: ${describe(error)}`);
    },
  );
  if (!response.ok)
    throw new CommandFailed(`${url} responded with ${response.status}: ${await response.text()}`);
}

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

const pageSize = 100;

async function readPools(db: Database): Promise<PoolRow[]> {
  const pools: PoolRow[] = [];
  for (let page = 1; ; page += 1) {
    const { rows } = await selectPools(db, { page, limit: pageSize });
    pools.push(...rows);
    if (rows.length < pageSize) return pools;
  }
}
