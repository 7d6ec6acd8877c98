import { sql } from 'kysely';
import { type ContactOf, isOfContact } from '../../platform/database/bulk-rows.ts';
import type { Transaction } from '../../platform/database/database.ts';

export interface ExportedNote {
  id: string;
  conversation_id: string;
  author_name: string;
  text: string;
  created_at: Date;
}

/** They are deleted with the conversation. */
export async function selectNotesOfContact(tx: Transaction, contact: ContactOf): Promise<ExportedNote[]> {
  const { rows } = await sql<ExportedNote>`
    select id, conversation_id, author_name, text, created_at from notes
    where conversation_id in (select id from conversations where ${isOfContact(contact)})
    order by created_at desc, id desc limit 10000`.execute(tx);
  return rows;
}
