import { sql } from 'kysely';
import { movingTeams } from '../bots/bots.sql.ts';
import { oldestUnanswered } from '../conversations/conversations.sql.ts';
import type { Database } from '../database/database.ts';
import { registeredKeyCount } from '../key-rotation/keyring.sql.ts';
import { passagesToEmbed } from '../knowledge/vectors.sql.ts';
import { oldestUnsent } from '../messages/messages.sql.ts';

/** Seconds since the oldest waiting message, null if none waits. */
export interface Backlog {
  unanswered: number | null;
  unsent: number | null;
  keys: number;
  /** Passages without a vector of the configured model. */
  unembedded: number;
  /** Teams whose documents move to another place. */
  moving: number;
}

export async function selectBacklog(db: Database, embeddingModel: string | null): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select (${oldestUnanswered}) as unanswered, (${oldestUnsent}) as unsent, (${registeredKeyCount}) as keys,
      (${passagesToEmbed(embeddingModel)}) as unembedded, (${movingTeams}) as moving`.execute(db);
  return rows[0] ?? { unanswered: null, unsent: null, keys: 0, unembedded: 0, moving: 0 };
}
