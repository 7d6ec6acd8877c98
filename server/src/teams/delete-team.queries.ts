import { sql } from 'kysely';
import { keysOfTeam } from '../api-keys/api-keys.sql.ts';
import { externalObjectsOfBots } from '../bots/bots.sql.ts';
import type { Transaction } from '../database/database.ts';
import { devicesWithSessions } from '../devices/devices.sql.ts';
import { externalObjectsOfDocuments } from '../documents/documents.sql.ts';
import type { ExternalObjectKind } from '../external-deletions/external-deletions.sql.ts';

export async function lockTeam(tx: Transaction, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from teams where id = ${id} for update`.execute(tx);
  return rows[0]?.id;
}

interface TeamObject {
  /** `staged` is the file of an upload in progress, by document id. */
  kind: ExternalObjectKind | 'staged';
  ref: string;
}

/** Includes unfinished objects and staged files, because the process that created them may be dead. */
export async function selectExternalObjects(tx: Transaction, teamId: string): Promise<TeamObject[]> {
  const { rows } = await sql<TeamObject>`
    ${externalObjectsOfBots(teamId)}
    union all
    ${externalObjectsOfDocuments(teamId)}
    union all
    select 'session', id::text from ${devicesWithSessions(teamId)}
    union all
    select 'team_rows', ${teamId}::text`.execute(tx);
  return rows;
}

/** Returns the ids of the team's API keys. */
export async function deleteTeamRow(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    with removed as (delete from teams where id = ${teamId})
    ${keysOfTeam(teamId)}`.execute(tx);
  return rows.map((row) => row.key_id);
}
