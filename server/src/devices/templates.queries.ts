import { sql } from 'kysely';
import type { Transaction } from '../platform/database/database.ts';

/** True for an approved template with one variable. */
export async function isTemplateForText(
  tx: Transaction,
  deviceId: string,
  { name, language }: { name: string; language: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from message_templates
    where device_id = ${deviceId} and name = ${name} and language = ${language} and state = 'approved' and variables = 1`.execute(
    tx,
  );
  return rows.length === 1;
}
