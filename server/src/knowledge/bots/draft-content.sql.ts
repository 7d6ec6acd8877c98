import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

export interface DraftContent {
  /** Of the pairs. */
  questions: string[];
  /** Names of the actions. */
  actions: string[];
  documentIds: string[];
}

/** What a draft answers from, in its order. */
export async function selectDraftContent(db: Database | Transaction, botId: string): Promise<DraftContent> {
  const { rows } = await sql<DraftContent>`
    select array(select pair ->> 'question' from jsonb_array_elements(b.questions) pair) as questions,
           array(select name from bot_actions where bot_id = b.id order by position) as actions,
           array(select document_id::text from bot_documents where bot_id = b.id order by position) as "documentIds"
    from bots b where b.id = ${botId}`.execute(db);
  return rows[0] ?? { questions: [], actions: [], documentIds: [] };
}
