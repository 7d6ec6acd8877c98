import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { timeouts2s } from '../database/lock-timeout.ts';
import type { ExternalObjectKind } from '../external-cleanup/external-cleanup.ts';

/** Holds the team against everything that would add to it. Answers its id as it is stored. */
export async function lockTeam(tx: Transaction, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from teams where id = ${id} for update`.execute(tx);
  return rows[0]?.id;
}

/** Holds the devices against what their pools still write of them: of their sessions then nothing comes any more. */
export async function lockDevicesOfTeam(tx: Transaction, teamId: string): Promise<void> {
  await sql`select from devices where team_id = ${teamId} order by id for update`.execute(tx);
}

interface TeamObject {
  /** `staged`: the file of an upload under way, by the document's id. */
  kind: ExternalObjectKind | 'staged';
  ref: string;
}

/**
 * What a team has outside the rows that go with it: at the provider, in the file store, on the network, in bulk. What was
 * only begun goes by its tag and, a document, by its staged file: whoever began it may be dead.
 */
export async function selectExternalObjects(tx: Transaction, teamId: string): Promise<TeamObject[]> {
  const { rows } = await sql<TeamObject>`
    select 'assistant' as kind, ai_provider_id as ref from bots where team_id = ${teamId} and ai_provider_id is not null
    union all
    select 'knowledge', vector_id from bots where team_id = ${teamId} and vector_id is not null
    union all
    select 'document', ai_provider_id from documents where team_id = ${teamId} and ai_provider_id is not null
    union all
    select 'file', file_key from documents where team_id = ${teamId} and file_key is not null
    union all
    select 'tagged', id::text from bots where team_id = ${teamId} and state = 'creating'
    union all
    select 'tagged', id::text from documents where team_id = ${teamId} and state = 'uploading'
    union all
    select 'staged', id::text from documents where team_id = ${teamId} and state = 'uploading'
    union all
    select 'session', id::text from devices
    where team_id = ${teamId} and exists (select from device_sessions where device_id = devices.id)
    union all
    select 'team_rows', ${teamId}::text`.execute(tx);
  return rows;
}

/** Removes the devices, which would hold their bots; the table's trigger frees their places in the pools. */
export async function deleteDevicesOfTeam(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from devices using ${timeouts2s} where team_id = ${teamId} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** All else of the team goes with its row. Answers the ids of its API keys. */
export async function deleteTeamRow(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    with removed as (delete from teams where id = ${teamId})
    select key_id from api_keys where team_id = ${teamId}`.execute(tx);
  return rows.map((row) => row.key_id);
}
