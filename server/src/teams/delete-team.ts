import type { Transaction } from '../database/database.ts';
import { stagedKey } from '../documents/file-keys.ts';
import { scheduleDeletion } from '../external-cleanup/external-cleanup.ts';
import { notFound } from '../http/errors.ts';
import {
  deleteDevicesOfTeam,
  deleteTeamRow,
  lockDevicesOfTeam,
  lockTeam,
  selectExternalObjects,
} from './delete-team.queries.ts';

/** What other processes hear of after the commit. */
export interface DeletedTeam {
  id: string;
  deviceIds: string[];
  keyIds: string[];
}

/**
 * Hides a team with all that is its own and frees its names and quotas at once. What lives outside the database, and
 * its bulk rows, are left to the jobs that work off tombstones.
 */
export async function deleteTeam(tx: Transaction, id: string): Promise<DeletedTeam> {
  const teamId = await lockTeam(tx, id);
  if (teamId === undefined) throw notFound('team');
  await lockDevicesOfTeam(tx, teamId);
  const remains = await selectExternalObjects(tx, teamId);
  await scheduleDeletion(
    tx,
    remains.map(({ kind, ref }) =>
      kind === 'staged' ? { teamId, kind: 'file', ref: stagedKey(teamId, ref) } : { teamId, kind, ref },
    ),
  );
  const deviceIds = await deleteDevicesOfTeam(tx, teamId);
  const keyIds = await deleteTeamRow(tx, teamId);
  return { id: teamId, deviceIds, keyIds };
}
