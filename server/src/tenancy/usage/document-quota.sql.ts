import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';
import { effectiveQuota, teamsWithPlans } from '../teams/teams.sql.ts';

const effectiveQuotas = sql`
  select t.id as team_id, ${effectiveQuota('documents')} as documents, ${effectiveQuota('characters')} as characters
  from ${teamsWithPlans}`;

/**
 * Returns false if the charge would exceed a quota. A document without text never exceeds the character quota.
 * Watched by record_team_usage_event.
 */
export async function tryChargeDocument(
  tx: Transaction,
  teamId: string,
  characters: number,
): Promise<boolean> {
  const { rows } = await sql`
    update team_usage as used
    set documents = used.documents + 1, characters = used.characters + ${characters}::int
    from (${effectiveQuotas}) as quota
    where used.team_id = ${teamId} and quota.team_id = used.team_id and used.documents < quota.documents
      and (${characters}::int = 0 or used.characters::bigint + ${characters}::int <= quota.characters)
    returning used.team_id`.execute(tx);
  return rows.length === 1;
}

/** Watched by record_team_usage_event. */
export async function refundDocument(tx: Transaction, teamId: string, characters: number): Promise<void> {
  await sql`
    update team_usage set documents = documents - 1, characters = characters - ${characters}::int
    where team_id = ${teamId}`.execute(tx);
}

export interface QuotaUse {
  used: number;
  limit: number;
}

export async function selectDocumentQuotas(
  tx: Transaction,
  teamId: string,
): Promise<{ documents: QuotaUse; characters: QuotaUse } | undefined> {
  const { rows } = await sql<
    Record<'documents' | 'characters' | 'documents_limit' | 'characters_limit', number>
  >`
    select used.documents, used.characters, quota.documents as documents_limit, quota.characters as characters_limit
    from team_usage as used join (${effectiveQuotas}) as quota using (team_id)
    where used.team_id = ${teamId}`.execute(tx);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    documents: { used: row.documents, limit: row.documents_limit },
    characters: { used: row.characters, limit: row.characters_limit },
  };
}
