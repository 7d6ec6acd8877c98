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

export interface DraftKnowledge {
  pairs: { question: string; answer: string }[];
  documents: {
    id: string;
    name: string;
    /** When the file was uploaded or replaced. */
    created_at: string;
    /** That the text mentions. Null without one, and for documents that OpenAI keeps. */
    latest_year: number | null;
  }[];
}

/** The pairs and documents of a draft, in its order. */
export async function selectDraftKnowledge(db: Database, botId: string): Promise<DraftKnowledge> {
  const { rows } = await sql<DraftKnowledge>`
    select b.questions as pairs, coalesce((
             select json_agg(json_build_object('id', d.id, 'name', d.name, 'created_at', d.created_at,
                                               'latest_year', text.latest_year) order by attached.position)
             from bot_documents attached join documents d on d.id = attached.document_id
             left join embedded_provider.documents text on text.ref = d.ai_provider_id
             where attached.bot_id = b.id), '[]') as documents
    from bots b where b.id = ${botId}`.execute(db);
  return rows[0] ?? { pairs: [], documents: [] };
}
