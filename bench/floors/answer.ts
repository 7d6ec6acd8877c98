import { randomUUID } from 'node:crypto';
import { serveFloor } from './floor.ts';

interface Body {
  device_id: string;
  contact: string;
  text: string;
  reply: string;
}

/**
 * The minimum for an answered message, in five separate statements: insert the message, claim its conversation, insert the
 * reply, mark the message as answered, and mark the reply as acknowledged by the network.
 */
serveFloor(async (pool, { body }) => {
  const { device_id, contact, text, reply } = JSON.parse(body) as Body;
  const [inbound, outbound] = [randomUUID(), randomUUID()];
  await pool.query({
    name: 'inbound',
    text: `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
           select $1, team_id, id, $3, 'in', 'contact', 'text', $4, $5, 'received' from devices where id = $2`,
    values: [inbound, device_id, contact, text, inbound],
  });
  await pool.query({
    name: 'claim',
    text: `update conversations set claim_fence = claim_fence + 1, claimed_until = now() + interval '15 seconds'
           where device_id = $1 and contact_number = $2`,
    values: [device_id, contact],
  });
  await pool.query({
    name: 'reply',
    text: `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
           select $1, team_id, id, $3, 'out', 'bot', 'text', $4, $5, 'accepted' from devices where id = $2`,
    values: [outbound, device_id, contact, reply, outbound],
  });
  await pool.query({
    name: 'answered',
    text: `update messages set status = 'answered' where id = $1`,
    values: [inbound],
  });
  await pool.query({
    name: 'acknowledge',
    text: `update messages set status = 'sent', sent_at = now() where id = $1`,
    values: [outbound],
  });
  return { success: true, data: { id: outbound } };
});
