import { deleteDevicesOfTeam, lockDevicesOfTeam } from '../../devices/devices.sql.ts';
import { stagedKey } from '../../knowledge/documents/file-keys.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { deleteTeamRow, lockTeam } from '../../tenancy/teams/teams.sql.ts';
import { selectExternalObjects } from './delete-team.queries.ts';

/** Ids that the caller announces to other processes after the commit. */
export interface DeletedTeam {
  id: string;
  deviceIds: string[];
  keyIds: string[];
}

/**
 * Deletes a team with everything it owns and frees its names and quotas. Jobs delete its external objects and bulk rows
 * later.
 */
export async function deleteTeam(tx: Transaction, id: string): Promise<DeletedTeam> {
  const teamId = await lockTeam(tx, id);
  if (teamId === undefined) throw notFound('team');
  await lockDevicesOfTeam(tx, teamId);
  const objects = await selectExternalObjects(tx, teamId);
  await scheduleDeletion(
    tx,
    objects.map(({ kind, ref }) =>
      kind === 'staged' ? { teamId, kind: 'file', ref: stagedKey(teamId, ref) } : { teamId, kind, ref },
    ),
  );
  const deviceIds = await deleteDevicesOfTeam(tx, teamId);
  const keyIds = await deleteTeamRow(tx, teamId);
  return { id: teamId, deviceIds, keyIds };
}
