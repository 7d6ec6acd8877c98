import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';

/** Locks the bot against deletion. Returns false if the team has no such live bot. */
export async function lockBotShared(tx: Transaction, teamId: string, botId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from bots where id = ${botId} and team_id = ${teamId} and state = 'live' for key share`.execute(
    tx,
  );
  return rows.length === 1;
}

export const existsBot = sql<SqlBool>`exists (select from bots)`;

/** Joins `bots b` and their live versions `v`. */
export const joinLiveVersion = (column: string) => sql`
  join bots b on b.id = ${sql.ref(column)}
  join bot_versions v on v.bot_id = b.id and v.version = b.live_version`;

/** Null: never published. */
export const liveVersionOf = (column: string) => sql<number | null>`
  (select live.live_version from bots live where live.id = ${sql.ref(column)})`;

export async function hasLiveVersion(db: Database, botId: string): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${botId} and live_version is not null`.execute(db);
  return rows.length === 1;
}

/** True if the bot has a live version. False where an outer join found no bot. */
export const isPublished = (column: string) =>
  sql<SqlBool>`exists (select from bots where bots.id = ${sql.ref(column)} and live_version is not null)`;

/** Selects the bot as `b` in a `from` clause if it is live and within the scope. */
export const liveBot = (scope: Scope, botId: string) => sql`(
  select id, team_id from bots
  where id = ${botId} and state = 'live' and ${inScope(scope, 'team_id')}) b`;

/** The questions of the pairs of the live version. Empty without one. */
export const livePairQuestions = (column: string) => sql`array(
  select pair ->> 'question' from bots live join bot_versions v on v.bot_id = live.id and v.version = live.live_version,
         jsonb_array_elements(v.spec -> 'questions') pair
  where live.id = ${sql.ref(column)})`;

export const externalObjectsOfBots = (teamId: string) => sql`
  select 'assistant' as kind, ai_provider_id as ref from bots
  where team_id = ${teamId} and ai_provider_id is not null
  union all
  select 'knowledge', vector_id from bots where team_id = ${teamId} and vector_id is not null
  union all
  select 'tagged', id::text from bots where team_id = ${teamId} and state = 'creating'`;

/** True if a bot refers to the provider's object in a row of `listed`, or its creation may still do so. */
export const refersToListedObject = sql<SqlBool>`exists (
  select from bots where id = listed.object_id and listed.kind in ('assistant', 'knowledge')
    and (state = 'creating' or listed.ref in (ai_provider_id, vector_id)))`;

export const movingTeams = sql<number>`
  select count(*)::int from knowledge_moves where moved_at is null`;

/** A team whose documents move has copies to which nothing refers yet, and old objects that running answers use. */
export const isMoving = (teamId: string) =>
  sql<SqlBool>`exists (select from knowledge_moves where team_id = ${sql.ref(teamId)})`;

/** What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. A changed draft has a day. */
export const unpublishedBots = (scope: Scope) => sql`
  select 'bot' as kind, id::text as id, team_id, name,
         case when live_version is null then 'never_published' else 'draft_changed' end as reason,
         case when live_version is null then created_at else updated_at end as since
  from bots where state = 'live' and not published and (live_version is null or updated_at < now() - interval '1 day')
    and ${inScope(scope, 'team_id')}`;

/** What the live version of a bot is for, and how it says that a machine answers. */
export interface LivePolicy {
  id: string;
  name: string;
  purpose: string | null;
  /** Null: the bot follows its team. */
  disclosure_mode: string | null;
}

export async function selectLivePolicies(db: Database, ids: readonly string[]): Promise<LivePolicy[]> {
  const { rows } = await sql<LivePolicy>`
    select b.id, b.name, v.spec ->> 'purpose' as purpose, v.spec -> 'disclosure' ->> 'mode' as disclosure_mode
    from bots b join bot_versions v on v.bot_id = b.id and v.version = b.live_version
    where b.id = any(${ids}::uuid[]) order by b.name, b.id`.execute(db);
  return rows;
}

/** The endpoints of the actions in the drafts of a team's bots. */
export async function selectEndpoints(db: Database, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ endpoint: string }>`
    select distinct endpoint from bot_actions where team_id = ${teamId}`.execute(db);
  return rows.map(({ endpoint }) => endpoint);
}

export interface LockedBot {
  id: string;
  team_id: string;
  draft_revision: number;
  is_published: boolean;
}

/** Locks the team before the bot, like the deletion of a team. Returns undefined if the bot is not live or outside the scope. */
export async function lockBotOfScope(
  tx: Transaction,
  scope: Scope,
  id: string,
): Promise<LockedBot | undefined> {
  const { rows } = await sql<LockedBot>`
    select b.id, b.team_id, b.draft_revision, b.live_version is not null as is_published from bots b ${joinTeam('b.team_id')}
    where b.id = ${id} and b.state = 'live' and ${inScope(scope, 'b.team_id')}
    for key share of t for update of b`.execute(tx);
  return rows[0];
}

/** Null if the bot is gone. */
export async function selectDraftRevision(db: Database | Transaction, botId: string): Promise<number | null> {
  const { rows } = await sql<{ draft_revision: number }>`
    select draft_revision from bots where id = ${botId} and state = 'live'`.execute(db);
  return rows[0]?.draft_revision ?? null;
}
