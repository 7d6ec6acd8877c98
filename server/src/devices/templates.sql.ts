import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';

/** The approved templates whose only variable can take a text, as a JSON array. `deviceId` is a column name. */
export const templatesForText = (deviceId: string) => sql<{ name: string; language: string }[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('name', usable.name, 'language', usable.language)), '[]') from (
    select t.name, t.language from message_templates t
    where t.device_id = ${sql.ref(deviceId)} and t.state = 'approved' and t.variables = 1
    order by t.name, t.language limit 20) usable)`;

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
