import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createEncryption } from '../../server/src/platform/shared/encryption.ts';
import type { Deployment } from './parley-process.ts';
import { seed } from './seed.ts';

interface NewLink {
  credential: string;
  phone: string;
}

/** Creates the credentials that link phones and devices. */
export const newLinks = (count: number): NewLink[] =>
  Array.from({ length: count }, (_, n) => ({
    credential: randomBytes(32).toString('base64url'),
    phone: `+1777${String(n).padStart(7, '0')}`,
  }));

/**
 * Inserts started devices with these links and one conversation each. They belong to a pool that has ended, so the next pool
 * takes them over. Pairing them through the API would dominate the run.
 */
export async function insertLinkedDevices(deployment: Deployment, links: readonly NewLink[]): Promise<void> {
  const encryption = createEncryption(Buffer.from(deployment.encryptionKey, 'base64'));
  const [example] = await seed(deployment.databaseUrl);
  const client = new pg.Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  try {
    const phones = links.map(({ phone }) => phone);
    const { rows } = await client.query<{ id: string }>(
      `with gone as (
         insert into pools (id, url, capacity, devices, draining, ended, lease_until)
         values (gen_random_uuid(), 'http://127.0.0.1:4001', cardinality($2::text[]), cardinality($2::text[]), true, true, now())
         returning id, url
       )
       insert into devices (id, team_id, bot_id, name, status, logged_in, phone_number, pool_id, pool_url)
       select gen_random_uuid(), d.team_id, d.bot_id, 'Desk', 'started', true, phone, gone.id, gone.url
       from devices d, gone, unnest($2::text[]) with ordinality as linked (phone, n) where d.id = $1 order by n returning id`,
      [example, phones],
    );
    const ids = rows.map(({ id }) => id);
    const sealed = links.map(({ credential }, n) =>
      encryption.seal(Buffer.from(credential), `device_sessions:${ids[n]}:simulator:credential`),
    );
    await client.query(
      `insert into device_sessions (device_id, kind, entry_id, value_sealed)
       select id, 'simulator', 'credential', sealed from unnest($1::uuid[], $2::bytea[]) as linked (id, sealed)`,
      [ids, sealed],
    );
    await client.query(
      `insert into conversations (id, team_id, device_id, contact_number)
       select gen_random_uuid(), team_id, id, '+16660000000' from devices where id = any($1::uuid[])`,
      [ids],
    );
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Inserts one outbound message per connected device into the outbox. */
export async function insertOutbound(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
       select id, team_id, device_id, contact_number, 'out', 'bot', 'text', 'Your bicycle is ready.',
              upper(replace(id::text, '-', '')), 'accepted'
       from (select gen_random_uuid() as id, c.team_id, c.device_id, c.contact_number
             from conversations c join devices d on d.id = c.device_id where d.connected) chat`,
    );
  } finally {
    await client.end();
  }
}
