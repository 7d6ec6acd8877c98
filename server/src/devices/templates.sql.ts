import { sql } from 'kysely';

/** The approved templates whose only variable can take a text, as a JSON array. `deviceId` is a column name. */
export const templatesForText = (deviceId: string) => sql<{ name: string; language: string }[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('name', usable.name, 'language', usable.language)), '[]') from (
    select t.name, t.language from message_templates t
    where t.device_id = ${sql.ref(deviceId)} and t.state = 'approved' and t.variables <= 1
    order by t.name, t.language limit 20) usable)`;
