import { type RawBuilder, sql } from 'kysely';

/** The name of the person or the key that opened a portal, whose id is given as text. */
export const nameOfPortal = (id: RawBuilder<unknown>) => sql`
  select coalesce((select k.name from api_keys k where k.key_id = p.creator_id),
                  (select u.name from users u where p.creator_id like 'user:%' and u.id::text = substr(p.creator_id, 6))) as name
  from portal_links p where p.id = (${id})::uuid`;
