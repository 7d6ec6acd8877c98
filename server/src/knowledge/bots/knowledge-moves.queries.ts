import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import {
  type KnowledgePlace,
  knowledgePlace,
  otherPlace,
  replaceKnowledgePlace,
  tryLockPlace,
} from '../../platform/database/installation.queries.ts';
import { timeouts2s } from '../../platform/database/lock-timeout.ts';
import { joinTeam, lockTeams, teamsExcept } from '../../tenancy/teams/teams.sql.ts';
import { hostedObjectCount } from '../assistant-provider/openai-hosted/hosted-objects.sql.ts';
import { dropNextRefs } from '../documents/moves.sql.ts';
import { existsTaggedKnowledge } from '../search/tagged-objects.sql.ts';

/** Running answers end within this time, so that nothing uses the old objects later. */
const graceMinutes = 10;

/** Returns where the documents and knowledge stores of the team are. */
export async function findPlaceOfTeam(db: Database, teamId: string): Promise<KnowledgePlace> {
  const { rows } = await sql<{ place: KnowledgePlace; isMoving: boolean }>`
    select ${knowledgePlace} as place,
      exists (select from knowledge_moves where team_id::text = ${teamId} and moved_at is null) as "isMoving"`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The statement returned no row');
  return row.isMoving ? otherPlace(row.place) : row.place;
}

export interface KnowledgeState {
  place: KnowledgePlace;
  /** Teams of the last move. Those that ended it long ago are not counted. */
  teams: number;
  teamsLeft: number;
  /** Of one team. */
  failure: string | null;
  /** Objects that the last move has not deleted yet included. */
  objectsAtOpenai: number;
  isInDatabase: boolean;
}

export async function selectKnowledgeState(db: Database): Promise<KnowledgeState> {
  const { rows } = await sql<KnowledgeState>`
    select ${knowledgePlace} as place, count(*)::int as teams,
      (count(*) filter (where moved_at is null))::int as "teamsLeft", max(failure) as failure,
      ${hostedObjectCount} as "objectsAtOpenai", ${existsTaggedKnowledge} as "isInDatabase"
    from knowledge_moves`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The statement returned no row');
  return row;
}

/** Makes all teams move to `place` that are not there. Returns false if a running process is configured for the other place. */
export async function turnTowards(tx: Transaction, place: KnowledgePlace): Promise<boolean> {
  if (!(await tryLockPlace(tx, otherPlace(place)))) return false;
  if (!(await replaceKnowledgePlace(tx, place))) return true;
  // A team that another transaction is creating would not be found.
  await lockTeams(tx);
  const { rows: turned } = await sql<{ id: string }>`
    delete from knowledge_moves where moved_at is null returning team_id as id`.execute(tx);
  await sql`delete from knowledge_moves`.execute(tx);
  await sql`
    insert into knowledge_moves (team_id) ${teamsExcept(turned.map(({ id }) => id))}`.execute(tx);
  await dropNextRefs(tx);
  return true;
}

export interface KnowledgeMove {
  id: string;
  teamId: string;
}

export async function selectNextMoves(db: Database, after: string, limit: number): Promise<KnowledgeMove[]> {
  const { rows } = await sql<KnowledgeMove>`
    select id, team_id as "teamId" from knowledge_moves
    where moved_at is null and team_id > ${after} order by team_id limit ${limit}`.execute(db);
  return rows;
}

export async function storeFailure(
  db: Database,
  { id, teamId }: KnowledgeMove,
  failure: string,
): Promise<void> {
  await sql`
    update knowledge_moves set failure = ${failure} where team_id = ${teamId} and id = ${id}`.execute(db);
}

/** From then on, the orphan sweep deletes the old objects. */
export async function deleteEndedMoves(db: Database): Promise<void> {
  await sql`
    delete from knowledge_moves where moved_at < now() - make_interval(mins => ${graceMinutes})`.execute(db);
}

/** Locks the team against new objects. Returns false if the team is not moving any more. */
export async function lockMove(tx: Transaction, { id, teamId }: KnowledgeMove): Promise<boolean> {
  const { rows } = await sql`
    select from ${timeouts2s}, knowledge_moves m ${joinTeam('m.team_id')}
    where m.team_id = ${teamId} and m.id = ${id} and m.moved_at is null for update of t for update of m`.execute(
    tx,
  );
  return rows.length === 1;
}

export async function completeMove(tx: Transaction, { teamId }: KnowledgeMove): Promise<void> {
  await sql`
    update knowledge_moves set moved_at = now(), failure = null where team_id = ${teamId}`.execute(tx);
}

/** With its live version, null if it has none. */
export interface MovingBot {
  id: string;
  assistantRef: string;
  version: number | null;
  documentIds: string[];
}

export async function selectMovingBots(db: Database, teamId: string): Promise<MovingBot[]> {
  const { rows } = await sql<MovingBot>`
    select id, ai_provider_id as "assistantRef", live_version as version,
      array(select v.document_id from bot_version_documents v
            where v.bot_id = b.id and v.version = b.live_version order by v.position) as "documentIds"
    from bots b where team_id = ${teamId} and state = 'live' order by id`.execute(db);
  return rows;
}

export interface MovedBot {
  id: string;
  vectorId: string;
  version: number | null;
  revision: string | null;
  documentRefs: readonly string[];
}

/** Returns false if a bot is new or has another live version. The team must be locked. */
export async function switchBots(
  tx: Transaction,
  teamId: string,
  moved: readonly MovedBot[],
): Promise<boolean> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(moved)}::jsonb)
    as moved (id uuid, "vectorId" text, version int, revision text, "documentRefs" jsonb)`;
  const { rows } = await sql<{ isMoved: boolean }>`
    select moved.id is not null as "isMoved" from bots b
    left join ${given} on moved.id = b.id and moved.version is not distinct from b.live_version and b.state = 'live'
    where b.team_id = ${teamId} order by b.id for update of b`.execute(tx);
  if (rows.some(({ isMoved }) => !isMoved)) return false;
  await sql`
    update bots b set vector_id = moved."vectorId" from ${given}
    where b.id = moved.id and b.team_id = ${teamId}`.execute(tx);
  await sql`
    update bot_versions v set provider_revision = moved.revision,
      spec = jsonb_set(v.spec, '{document_refs}', moved."documentRefs")
    from ${given} where v.bot_id = moved.id and v.version = moved.version and v.team_id = ${teamId}`.execute(
    tx,
  );
  return true;
}
