import { sql } from 'kysely';
import { devicesWithSessions } from '../../devices/devices.sql.ts';
import { externalObjectsOfBots } from '../../knowledge/bots/bots.sql.ts';
import { externalObjectsOfDocuments } from '../../knowledge/documents/documents.sql.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ExternalObjectKind } from '../../records/external-deletions/external-deletions.sql.ts';

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
