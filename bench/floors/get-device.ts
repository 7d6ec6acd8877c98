import { serveFloor } from './floor.ts';

/** One select: the device's row by id. */
serveFloor(async (pool, { url }) => {
  const { rows } = await pool.query({
    name: 'device',
    text: `select id, team_id, bot_id, name, status, connected, blocked, phone_number, pool_url,
                  last_disconnect_reason, last_disconnect_at, created_at, updated_at
           from devices where id = $1`,
    values: [url.slice(url.lastIndexOf('/') + 1)],
  });
  return { success: true, data: rows[0] };
});
