import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { forgetPhones } from '../../devices/devices.sql.ts';
import { insertFormerPoolStatement, isPoolId } from '../../devices/pools/pools.sql.ts';
import { createPlaceFinder } from '../../knowledge/bots/knowledge-place.ts';
import { hasUploads } from '../../knowledge/documents/documents.sql.ts';
import { sealedColumns } from '../../lifecycle/key-rotation/key-rotation.jobs.ts';
import { importTeamRows, type TeamImport } from '../../platform/database/backup/import-team-rows.ts';
import { readSnapshot } from '../../platform/database/backup/snapshot.ts';
import { exportTeamRows } from '../../platform/database/backup/team-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { writeDurably } from '../../platform/shared/durable-files.ts';
import { createEncryption } from '../../platform/shared/encryption.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import { createFileStore } from '../../ports/file-store/create-file-store.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { forgetOwnEventsStatement } from '../../records/events/events.sql.ts';
import { hasDeletions } from '../../records/external-deletions/external-deletions.sql.ts';
import { isStoredSettings } from '../../tenancy/teams/team-settings.ts';
import { findTeamState, teamExists } from '../../tenancy/teams/teams.sql.ts';
import {
  checkCopiedFile,
  copyStoredFile,
  formatBytes,
  makePrivateFolder,
  readCopiedFile,
  requireEmptyFolder,
} from './backup-files.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { type Deployment, withDatabase } from './open-deployment.ts';
import { type ReferencedFile, selectReferencedFiles } from './referenced-files.ts';
import {
  isKeyOf,
  keyFile,
  manifestFile,
  readTeamManifest,
  readTransferKey,
  type TeamManifest,
} from './team-manifest.ts';
import { otherTables, teamReferences, teamTables } from './team-tables.ts';

/** Writes a banned team to a new folder. */
export async function exportTeam(input: CommandInput): Promise<number> {
  const [teamId, folder] = [readTeamId(input), resolve(input.parameters[1] ?? '')];
  await requireEmptyFolder(folder);
  await withDatabase(input, async (deployment) => {
    const { db, databaseUrl, encryption } = deployment;
    const name = await requireBanned(db, teamId);
    const key = randomBytes(32);
    let referenced: ReferencedFile[] = [];
    const exported = await exportTeamRows(databaseUrl, teamId, {
      folder: join(folder, 'rows'),
      tables: teamTables,
      other: otherTables,
      sealed: sealedColumns,
      from: encryption,
      to: createEncryption(key),
      async whileHeld(snapshot) {
        referenced = await readSnapshot(db, snapshot, (tx) => findFiles(tx, teamId));
        await makePrivateFolder(folder);
      },
    });
    await writeDurably(join(folder, keyFile), Buffer.from(`${key.toString('base64')}\n`));
    const files = await copyReferenced(deployment, referenced, folder);
    const manifest: TeamManifest = { format: 1, teamId, name, ...exported, files };
    await writeDurably(join(folder, manifestFile), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    input.print(`exported ${describe(manifest)}`);
    input.print(`Delete ${folder} after the import: it holds secrets of the team.`);
  });
  return 0;
}

/** Adds an exported team to this deployment, banned: all of its rows and files, or nothing. */
export async function importTeam(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  const manifest = await readTeamManifest(folder);
  const { teamId } = manifest;
  const key = await readTransferKey(folder);
  await withDatabase(input, async ({ db, config, databaseUrl, encryption }) => {
    for (const [path, file] of Object.entries(manifest.files)) await checkCopiedFile(folder, path, file);
    await importTeamRows(databaseUrl, teamId, manifest, {
      folder: join(folder, 'rows'),
      tables: teamTables,
      references: teamReferences,
      sealed: sealedColumns,
      from: createEncryption(key),
      to: encryption,
      prepare: () => requireImportable(db, teamId),
      ...createFileImport(createFileStore(config), folder, manifest),
      finish: [insertFormerPoolStatement(teamId), forgetOwnEventsStatement],
    });
    input.print(`imported ${describe(manifest)}`);
  });
  input.print(
    'Next: run parley team release in the old deployment, lift the ban here, connect the devices, and create API keys.',
  );
  return 0;
}

/** Stores the files that the rows refer to. No other team has files under their keys. */
function createFileImport(
  fileStore: Pick<FileStore, 'put' | 'delete'>,
  folder: string,
  { teamId, files }: TeamManifest,
): Pick<TeamImport, 'store' | 'discard'> {
  const stored: string[] = [];
  return {
    async store({ settings, fileKeys }) {
      if (settings.length !== 1 || !isStoredSettings(settings[0]))
        throw new CommandFailed('The export does not have one team with valid settings');
      const described = new Map(Object.entries(files));
      const foreign = fileKeys.find((key) => !isKeyOf(teamId, key) || !described.has(key));
      if (foreign !== undefined)
        throw new CommandFailed(`The export has a row whose file is not one of its own: ${foreign}`);
      for (const key of fileKeys) {
        const file = described.get(key);
        if (file === undefined) continue;
        stored.push(key);
        await fileStore.put(key, readCopiedFile(folder, key, file));
      }
    },
    async discard() {
      for (const key of stored) await fileStore.delete(key);
    },
  };
}

/**
 * Forgets the phones of a banned team, after another deployment has imported the team. If the team is deleted here afterwards,
 * its phones stay linked to the other deployment.
 */
export async function releaseTeam(input: CommandInput): Promise<number> {
  const teamId = readTeamId(input);
  await withDatabase(input, async ({ db }) => {
    const name = await requireBanned(db, teamId);
    const phones = await db.transaction().execute((tx) => forgetPhones(tx, teamId));
    const devices = phones === 1 ? '1 device no longer has' : `${phones} devices no longer have`;
    input.print(`${name}: ${devices} a phone here. Now delete the team.`);
  });
  return 0;
}

/** Ids are lower-case in the database and in the keys of files. */
const readTeamId = ({ parameters }: CommandInput): string => (parameters[0] ?? '').toLowerCase();

/** A banned team neither sends nor answers, and its devices are stopped. Returns its name. */
async function requireBanned(db: Database, teamId: string): Promise<string> {
  const team = isUuid(teamId) ? await findTeamState(db, teamId) : undefined;
  if (team === undefined) throw new CommandFailed(`There is no team ${teamId}`);
  if (!team.banned)
    throw new CommandFailed(
      `The team ${team.name} is in use: ban it first (PATCH /api/openapi/v1/teams/${teamId} with {"banned": true})`,
    );
  return team.name;
}

/** Returns the files of the team, if the database has all of its documents. */
async function findFiles(tx: Transaction, teamId: string): Promise<ReferencedFile[]> {
  if ((await createPlaceFinder(tx)(teamId)) === 'openai')
    throw new CommandFailed(
      'The documents of the team are at OpenAI: move them into the database first (ASSISTANT_PROVIDER)',
    );
  if (await hasUploads(tx, teamId))
    throw new CommandFailed('A document is being uploaded: retry when the upload has ended');
  return selectReferencedFiles(tx, { kind: 'team', teamId });
}

async function copyReferenced(
  { config }: Deployment,
  referenced: readonly ReferencedFile[],
  folder: string,
): Promise<TeamManifest['files']> {
  const source = createFileStore(config);
  const files: TeamManifest['files'] = {};
  const missing: string[] = [];
  for (const { key } of referenced) {
    const copied = await copyStoredFile(source, key, folder);
    if (copied === null) missing.push(key);
    else files[key] = copied;
  }
  if (missing.length > 0)
    throw new CommandFailed(
      `The file store lacks files (${missing.join(', ')}): check DATA_DIR and FILE_STORE, or retry if they were deleted meanwhile`,
    );
  return files;
}

async function requireImportable(db: Database, teamId: string): Promise<void> {
  if (await teamExists(db, teamId))
    throw new CommandFailed(`The team ${teamId} is in this deployment already`);
  if (await isPoolId(db, teamId)) throw new CommandFailed(`${teamId} is the id of a pool of this deployment`);
  if ((await createPlaceFinder(db)(teamId)) === 'openai')
    throw new CommandFailed(
      'This deployment keeps documents at OpenAI: move them into the database first (ASSISTANT_PROVIDER)',
    );
  if (await hasDeletions(db, teamId))
    throw new CommandFailed(
      `This deployment still deletes files and rows of the team ${teamId}: retry later`,
    );
}

function describe({ name, tables, files }: TeamManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return `${name}: ${rows} rows, ${Object.keys(files).length} files (${formatBytes(bytes)})`;
}
