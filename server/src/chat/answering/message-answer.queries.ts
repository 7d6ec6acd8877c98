import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { hasTeam } from '../../tenancy/teams/teams.sql.ts';
import { answerIdOfMessage } from '../messages/messages.sql.ts';
import type { AnswerTrace } from './trace.ts';

export interface MessageAnswerRow {
  id: string;
  team_id: string;
  bot_id: string;
  version: number;
  answered: boolean;
  credits: number;
  trace: AnswerTrace;
  created_at: Date;
}

export async function selectMessageAnswer(
  db: Database | Transaction,
  scope: Scope,
  messageId: string,
): Promise<MessageAnswerRow | undefined> {
  const { rows } = await sql<MessageAnswerRow>`
    select a.id, a.team_id, a.bot_id, a.version, a.answered, a.credits, a.trace, a.created_at from answers a
    where a.id = (${answerIdOfMessage(scope, messageId)}) and ${hasTeam('a.team_id')}`.execute(db);
  return rows[0];
}
