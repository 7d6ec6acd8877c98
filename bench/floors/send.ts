import { randomUUID } from 'node:crypto';
import { serveFloor } from './floor.ts';

interface Body {
  device_id: string;
  destination_number: string;
  message: string;
}

/** One CTE that charges the month and inserts the message, and one update for the network's acknowledgement. */
serveFloor(async (pool, { body }) => {
  const { device_id, destination_number, message } = JSON.parse(body) as Body;
  const id = randomUUID();
  const { rows } = await pool.query<{ used: number }>({
    name: 'charge',
    text: `with charged as (
             insert into monthly_usage as u (team_id, month, active_messages)
             select team_id, $3::date, 1 from devices where id = $2
             on conflict (team_id, month) do update set active_messages = u.active_messages + 1
               where u.active_messages < 2000000000
             returning team_id, active_messages
           ), message as (
             insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id,
                                   status, charged_month)
             select $1, team_id, $2, $4, 'out', 'api', 'text', $5, $6, 'accepted', $3::date from charged
           )
           select active_messages as used from charged`,
    values: [id, device_id, `${new Date().toISOString().slice(0, 7)}-01`, destination_number, message, id],
  });
  await pool.query({
    name: 'acknowledge',
    text: `update messages set status = 'sent', sent_at = now() where id = $1`,
    values: [id],
  });
  return { success: true, data: { messageId: id, status: 'sent', used: rows[0]?.used } };
});
