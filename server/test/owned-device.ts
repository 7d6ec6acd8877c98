import { sql } from 'kysely';
import type { Ownership } from '../src/devices/session-state.sql.ts';
import type { Database } from '../src/platform/database/database.ts';
import { newId } from '../src/platform/shared/ids.ts';
import { addTeamWithBot } from './devices.ts';

/** Inserts a started device of a pool with a valid lease. */
export async function createOwnedDevice(db: Database): Promise<Ownership> {
  const { teamId, botId } = await addTeamWithBot(db);
  const [deviceId, poolId] = [newId(), newId()];
  await sql`
    insert into pools (id, url, capacity, devices, lease_until)
    values (${poolId}, 'http://past', 9, 1, now() + interval '1 minute')`.execute(db);
  await sql`
    insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', ${poolId}, 'http://past')`.execute(db);
  return { deviceId, teamId, poolId, epoch: 1 };
}

/** Moves the device to another owner. */
export const transferOwnership = async (db: Database, { deviceId }: { deviceId: string }): Promise<void> =>
  void (await sql`update devices set epoch = epoch + 1 where id = ${deviceId}`.execute(db));

/** Expires the pool's lease, as after a kill. */
export const expireLease = async (db: Database, { poolId }: { poolId: string }): Promise<void> =>
  void (await sql`
    update pools set lease_until = now() - interval '1 minute', ended = true where id = ${poolId}`.execute(
    db,
  ));
