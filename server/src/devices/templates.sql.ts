import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';

const takesText = sql`t.state = 'approved' and t.variables = 1`;

/** The approved templates whose only variable can take a text, as a JSON array. `deviceId` is a column name. */
export const templatesForText = (deviceId: string) => sql<{ name: string; language: string }[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('name', usable.name, 'language', usable.language)), '[]') from (
    select t.name, t.language from message_templates t
    where t.device_id = ${sql.ref(deviceId)} and ${takesText}
    order by t.name, t.language limit 20) usable)`;

/** The default template of `devices d`, null if there is none or it takes no text any more. */
export const usableDefaultTemplate = sql`
  case when d.default_template is not null and exists (
    select from message_templates t
    where t.device_id = d.id and t.name = d.default_template ->> 'name' and t.language = d.default_template ->> 'language'
      and ${takesText}) then d.default_template end`;

/** Returns how many variables an approved template has, null if they cannot be filled, undefined without such a template. */
export async function selectApprovedVariables(
  db: Database,
  deviceId: string,
  { name, language }: { name: string; language: string },
): Promise<number | null | undefined> {
  const { rows } = await sql<{ variables: number | null }>`
    select variables from message_templates
    where device_id = ${deviceId} and name = ${name} and language = ${language} and state = 'approved'`.execute(
    db,
  );
  return rows[0]?.variables;
}
