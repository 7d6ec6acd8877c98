import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';

interface HourRow {
  hour: Date;
  received: number;
  answers: number;
  others: number;
}

/** Counts the messages of each of the last hours, the present one included. */
export async function selectActivity(db: Database, scope: Scope, hours: number): Promise<HourRow[]> {
  const first = sql`date_trunc('hour', now()) - make_interval(hours => ${hours - 1}::int)`;
  const { rows } = await sql<HourRow>`
    with counted as (
      select date_trunc('hour', m.created_at) as hour, m.origin, count(*)::int as messages from messages m
      where m.created_at >= ${first} and ${inScope(scope, 'm.team_id')}
      group by 1, 2
    )
    select hours.hour, coalesce(sum(messages) filter (where origin = 'contact'), 0)::int as received,
           coalesce(sum(messages) filter (where origin = 'bot'), 0)::int as answers,
           coalesce(sum(messages) filter (where origin in ('api', 'person')), 0)::int as others
    from generate_series(${first}, date_trunc('hour', now()), '1 hour') as hours (hour)
    left join counted using (hour) group by 1 order by 1`.execute(db);
  return rows;
}
