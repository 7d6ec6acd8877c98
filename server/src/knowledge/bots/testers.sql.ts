import { type SqlBool, sql } from 'kysely';
import { type ContactOf, isOfContact } from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';

/** Whether the contact gets the draft of the bot. */
export const isTester = (bot: string, number: string) => sql<SqlBool>`
  exists (select from bot_testers tester
          where tester.bot_id = ${sql.ref(bot)} and tester.contact_number = ${sql.ref(number)})`;

export async function selectTesters(db: Database | Transaction, botId: string): Promise<string[]> {
  const { rows } = await sql<{ contact_number: string }>`
    select contact_number from bot_testers where bot_id = ${botId} order by contact_number`.execute(db);
  return rows.map(({ contact_number }) => contact_number);
}

/** The caller holds the lock of the bot. */
export async function replaceTesters(
  tx: Transaction,
  { teamId, botId }: { teamId: string; botId: string },
  numbers: readonly string[],
): Promise<void> {
  await sql`
    delete from bot_testers where bot_id = ${botId} and contact_number <> all(${[...numbers]}::text[])`.execute(
    tx,
  );
  await sql`
    insert into bot_testers (bot_id, team_id, contact_number)
    select ${botId}, ${teamId}, unnest(${[...numbers]}::text[]) on conflict do nothing`.execute(tx);
}

export async function deleteTestersOfContact(tx: Transaction, contact: ContactOf): Promise<void> {
  await sql`delete from bot_testers where ${isOfContact(contact)}`.execute(tx);
}

/** Returns the bots whose draft the contact gets. */
export async function selectBotsOfTester(tx: Transaction, contact: ContactOf): Promise<string[]> {
  const { rows } = await sql<{ bot_id: string }>`
    select distinct bot_id from bot_testers where ${isOfContact(contact)} order by bot_id`.execute(tx);
  return rows.map(({ bot_id }) => bot_id);
}
