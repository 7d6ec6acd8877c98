import type pg from 'pg';

/** One select: the device's row by id. */
export async function selectDevice(pool: pg.Pool, id: string): Promise<unknown> {
  const { rows } = await pool.query({
    name: 'device',
    text: `select id, team_id, bot_id, name, status, connected, blocked, phone_number, pool_url,
                  last_disconnect_reason, last_disconnect_at, created_at, updated_at
           from devices where id = $1`,
    values: [id],
  });
  return rows[0];
}
