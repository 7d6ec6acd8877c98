import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFileStore } from '../adapters/file-store/create-file-store.ts';
import type { FileStore } from '../adapters/file-store/file-store.ts';
import { createPlaceFinder } from '../bots/knowledge-place.ts';
import { readSnapshot } from '../database/backup/snapshot.ts';
import { type ExportedTeam, exportTeamRows, importTeamRows } from '../database/backup/team-rows.ts';
import type { Database, Transaction } from '../database/database.ts';
import { forgetPhones } from '../devices/devices.sql.ts';
import { hasUploads } from '../documents/documents.sql.ts';
import { forgetOwnEventsStatement } from '../events/events.sql.ts';
import { hasDeletions } from '../external-cleanup/external-cleanup.sql.ts';
import { sealedColumns } from '../key-rotation/key-rotation.jobs.ts';
import { insertFormerPoolStatement } from '../pool/pools.sql.ts';
import { writeDurably } from '../shared/durable-files.ts';
import { createEncryption } from '../shared/encryption.ts';
import { isUuid } from '../shared/ids.ts';
import { findTeamState, teamExists } from '../teams/teams.sql.ts';
import {
  type CopiedFile,
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
import { otherTables, teamTables } from './team-tables.ts';

interface TeamManifest extends ExportedTeam {
  format: 1;
  teamId: string;
  name: string;
  files: Record<string, CopiedFile>;
}

const manifestFile = (folder: string): string => join(folder, 'team.json');
/** Seals the secrets in the folder, so that no deployment needs the key of the other one. */
const keyFile = (folder: string): string => join(folder, 'transfer-key');

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
    await writeDurably(keyFile(folder), Buffer.from(`${key.toString('base64')}\n`));
    const files = await copyReferenced(deployment, referenced, folder);
    const manifest: TeamManifest = { format: 1, teamId, name, ...exported, files };
    await writeDurably(manifestFile(folder), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    input.print(`exported ${describe(manifest)}`);
    input.print(`Delete ${folder} after the import: it holds secrets of the team.`);
  });
  return 0;
}

/** Adds an exported team to this deployment, banned. Adds missing files if an earlier import was interrupted. */
export async function importTeam(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  const manifest = await readManifest(folder);
  const { teamId } = manifest;
  const key = Buffer.from(await readFile(keyFile(folder), 'utf8'), 'base64');
  await withDatabase(input, async ({ db, config, databaseUrl, encryption }) => {
    for (const [path, file] of Object.entries(manifest.files)) await checkCopiedFile(folder, path, file);
    const isNew = !(await teamExists(db, teamId));
    if (isNew) {
      await requireImportable(db, teamId);
      await importTeamRows(databaseUrl, teamId, manifest, {
        folder: join(folder, 'rows'),
        tables: teamTables,
        sealed: sealedColumns,
        from: createEncryption(key),
        to: encryption,
        finish: [insertFormerPoolStatement(teamId), forgetOwnEventsStatement],
      });
    }
    // Files without rows are orphans, which a job deletes.
    const fileStore = createFileStore(config);
    const missing = await findMissingFiles(db, fileStore, manifest);
    if (!isNew && missing.length === 0)
      throw new CommandFailed(`The team ${teamId} is in this deployment already`);
    for (const [path, file] of missing) await fileStore.put(path, readCopiedFile(folder, path, file));
    input.print(
      isNew ? `imported ${describe(manifest)}` : `added ${missing.length} missing files of ${manifest.name}`,
    );
  });
  input.print(
    'Next: run parley team release in the old deployment, lift the ban here, connect the devices, and create API keys.',
  );
  return 0;
}

/** Forgets the phones of a banned team that another deployment has imported, so that deleting it does not unlink them. */
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
  if ((await createPlaceFinder(db)(teamId)) === 'openai')
    throw new CommandFailed(
      'This deployment keeps documents at OpenAI: move them into the database first (ASSISTANT_PROVIDER)',
    );
  if (await hasDeletions(db, teamId))
    throw new CommandFailed(
      `This deployment still deletes files and rows of the team ${teamId}: retry later`,
    );
}

/** Returns the exported files that rows of this deployment refer to and its file store lacks. */
async function findMissingFiles(
  db: Database,
  fileStore: Pick<FileStore, 'exists'>,
  { teamId, files }: TeamManifest,
): Promise<[path: string, file: CopiedFile][]> {
  const missing: [string, CopiedFile][] = [];
  for (const { key } of await selectReferencedFiles(db, { kind: 'team', teamId })) {
    const file = files[key];
    if (file !== undefined && !(await fileStore.exists(key))) missing.push([key, file]);
  }
  return missing;
}

async function readManifest(folder: string): Promise<TeamManifest> {
  const text = await readFile(manifestFile(folder), 'utf8').catch(() => {
    throw new CommandFailed(`${folder} holds no complete export of a team: team.json is missing`);
  });
  const manifest = JSON.parse(text) as TeamManifest;
  if (manifest.format === 1 && isUuid(manifest.teamId)) return manifest;
  throw new CommandFailed(`The export has format ${manifest.format}, which this Parley cannot read`);
}

function describe({ name, tables, files }: TeamManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return `${name}: ${rows} rows, ${Object.keys(files).length} files (${formatBytes(bytes)})`;
}
