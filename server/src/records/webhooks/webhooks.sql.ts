import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';

export const failingWebhookCount = sql<number>`
  select count(*)::int from webhooks
  where (enabled and failing_since < now() - interval '5 minutes')
    or (disabled_reason = 'failing' and disabled_at > now() - interval '1 day')`;

/** Also while deliveries are retried. Needs `webhooks w`. */
export const isFailing = sql<SqlBool>`(w.failing_since is not null or w.disabled_reason is not null)`;

/** What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. */
export const failingWebhooks = (scope: Scope) => sql`
  select 'webhook' as kind, w.id::text as id, w.team_id, w.url as name, coalesce(w.disabled_reason, 'retrying') as reason,
         coalesce(w.disabled_at, w.failing_since) as since
  from webhooks w where ${isFailing} and ${inScope(scope, 'w.team_id')}`;

/** The receivers of a team's events, those of all teams included. */
export async function selectReceivers(db: Database, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select distinct url from webhooks where enabled and (team_id = ${teamId} or team_id is null)`.execute(db);
  return rows.map(({ url }) => url);
}
