import { sql } from 'kysely';
import { troubledDevices } from '../../devices/devices.sql.ts';
import { deadPools } from '../../devices/pools/pools.sql.ts';
import { unpublishedBots } from '../../knowledge/bots/bots.sql.ts';
import { failedDocuments } from '../../knowledge/documents/documents.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { failingWebhooks } from '../../records/webhooks/webhooks.sql.ts';
import { teamNames } from '../../tenancy/teams/teams.sql.ts';
import { quotaWarnings } from '../../tenancy/usage/usage.sql.ts';
import { flaggedConversations, providerFailures } from '../conversations/conversations.sql.ts';
import type { AttentionKind } from './attention.schemas.ts';

export interface AttentionRow {
  kind: AttentionKind;
  count: number;
  id: string;
  team_id: string | null;
  team_name: string | null;
  name: string;
  reason: string | null;
  since: Date | null;
  used: number | null;
  limit: number | null;
}

const withoutQuota = sql`null::bigint as used, null::bigint as "limit"`;

/**
 * Returns the number of objects of each kind and the first `limit` of them: those that have waited longest, and the fullest quotas.
 * One statement, so that the counts are of one moment. `month` is the first day of a UTC calendar month.
 */
export async function selectAttention(
  db: Database,
  scope: Scope,
  { month, limit }: { month: string; limit: number },
): Promise<AttentionRow[]> {
  const subjects = [
    flaggedConversations(scope),
    providerFailures(scope),
    troubledDevices(scope),
    unpublishedBots(scope),
    failingWebhooks(scope),
    failedDocuments(scope),
    ...(scope.kind === 'all' ? [deadPools] : []),
  ].map((subject) => sql`select s.*, ${withoutQuota} from (${subject}) s`);
  const quotas = sql`
    select 'quota', q.team_id::text || ' ' || q.quota, q.team_id, q.team_name, q.quota, null::timestamptz, q.used, q."limit"
    from (${quotaWarnings(scope, month)}) q`;
  const { rows } = await sql<AttentionRow>`
    with subjects (kind, id, team_id, name, reason, since, used, "limit") as (
      ${sql.join([...subjects, quotas], sql` union all `)}
    ), placed as (
      select s.*, t.name as team_name, (count(*) over (partition by s.kind))::int as count,
             row_number() over (partition by s.kind order by s.used::float8 / s."limit" desc nulls last, s.since, s.id) as place
      from subjects s left join (${teamNames}) t on t.id = s.team_id where s.team_id is null or t.id is not null
    )
    select kind, count, id, team_id, team_name, name, reason, since, used, "limit"
    from placed where place <= ${limit} order by kind, place`.execute(db);
  return rows;
}
