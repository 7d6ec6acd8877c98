import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFileStore } from '../adapters/file-store/create-file-store.ts';
import { type ExportedTeam, exportTeamRows, importTeamRows } from '../database/backup/team-rows.ts';
import { readKnowledgePlace } from '../database/installation.queries.ts';
import { forgetPhones } from '../devices/devices.sql.ts';
import { hasUploads } from '../documents/documents.sql.ts';
import { forgetOwnEventsStatement } from '../events/events.sql.ts';
import { sealedColumns } from '../key-rotation/key-rotation.jobs.ts';
import { insertFormerPoolStatement } from '../pool/pools.sql.ts';
import { writeDurably } from '../shared/durable-files.ts';
import { createEncryption } from '../shared/encryption.ts';
import { isUuid } from '../shared/ids.ts';
import { findTeamState } from '../teams/teams.sql.ts';
import { copyFileTo, formatBytes, readCopiedFile } from './backup-files.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { type Deployment, withDatabase } from './open-deployment.ts';
import { otherTables, teamTables } from './team-tables.ts';

interface TeamManifest extends ExportedTeam {
  format: 1;
  teamId: string;
  name: string;
  files: Record<string, { bytes: number; sha256: string }>;
}

const manifestFile = (folder: string): string => join(folder, 'team.json');
/** Seals the secrets in the folder, so that no deployment needs the key of the other one. */
const keyFile = (folder: string): string => join(folder, 'transfer-key');

type OpenDeployment = Parameters<Parameters<typeof withDatabase>[1]>[0];

/** Writes a banned team to a new folder. */
export async function exportTeam(input: CommandInput): Promise<number> {
  const [teamId = '', folder = ''] = [input.parameters[0], resolve(input.parameters[1] ?? '')];
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new CommandFailed(`${folder} is not empty: name a new folder`);
  await withDatabase(input, async (deployment) => {
    const { db, databaseUrl, encryption } = deployment;
    const name = await requireBanned(deployment, teamId);
    if ((await readKnowledgePlace(db)) === 'openai')
      throw new CommandFailed(
        'The documents are at OpenAI: move them into the database first (ASSISTANT_PROVIDER)',
      );
    if (await hasUploads(db, teamId))
      throw new CommandFailed('A document is being uploaded: wait for its end');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const key = randomBytes(32);
    await writeDurably(keyFile(folder), Buffer.from(`${key.toString('base64')}\n`));
    const exported = await exportTeamRows(databaseUrl, teamId, {
      folder: join(folder, 'rows'),
      tables: teamTables,
      other: otherTables,
      sealed: sealedColumns,
      from: encryption,
      to: createEncryption(key),
    });
    const files = await copyTeamFiles(deployment, teamId, folder);
    const manifest: TeamManifest = { format: 1, teamId, name, ...exported, files };
    await writeDurably(manifestFile(folder), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    input.print(`exported ${describe(manifest)}`);
    input.print(`Delete ${folder} after the import: it holds secrets of the team.`);
  });
  return 0;
}

/** Adds an exported team to this deployment, banned. */
export async function importTeam(input: CommandInput): Promise<number> {
  const folder = resolve(input.parameters[0] ?? '');
  const manifest = await readManifest(folder);
  const key = Buffer.from(await readFile(keyFile(folder), 'utf8'), 'base64');
  await withDatabase(input, async ({ db, config, databaseUrl, encryption }) => {
    if ((await findTeamState(db, manifest.teamId)) !== undefined)
      throw new CommandFailed(`The team ${manifest.teamId} is in this deployment already`);
    const fileStore = createFileStore({ fileStore: config.FILE_STORE, dataDir: config.DATA_DIR });
    for (const [path, file] of Object.entries(manifest.files))
      await fileStore.put(path, await readCopiedFile(folder, path, file));
    await importTeamRows(databaseUrl, manifest, {
      folder: join(folder, 'rows'),
      tables: teamTables,
      sealed: sealedColumns,
      from: createEncryption(key),
      to: encryption,
      finish: [insertFormerPoolStatement(manifest.teamId), forgetOwnEventsStatement],
    });
  });
  input.print(`imported ${describe(manifest)}`);
  input.print(
    'Next: run parley team release in the old deployment, lift the ban here, connect the devices, and create API keys.',
  );
  return 0;
}

/** Forgets the phones of a banned team that another deployment has imported, so that deleting it does not unlink them. */
export async function releaseTeam(input: CommandInput): Promise<number> {
  const [teamId = ''] = input.parameters;
  await withDatabase(input, async (deployment) => {
    const name = await requireBanned(deployment, teamId);
    const phones = await deployment.db.transaction().execute((tx) => forgetPhones(tx, teamId));
    input.print(`${name}: ${phones} devices no longer have a phone here. Now delete the team.`);
  });
  return 0;
}

/** A banned team neither sends nor answers, and its devices are stopped. Returns its name. */
async function requireBanned({ db }: OpenDeployment, teamId: string): Promise<string> {
  const team = isUuid(teamId) ? await findTeamState(db, teamId) : undefined;
  if (team === undefined) throw new CommandFailed(`There is no team ${teamId}`);
  if (!team.banned)
    throw new CommandFailed(
      `The team ${team.name} is in use: ban it first (PATCH /api/openapi/v1/teams/${teamId} with {"banned": true})`,
    );
  return team.name;
}

async function copyTeamFiles(
  { config }: Deployment,
  teamId: string,
  folder: string,
): Promise<TeamManifest['files']> {
  const source = createFileStore({ fileStore: config.FILE_STORE, dataDir: config.DATA_DIR });
  const files: TeamManifest['files'] = {};
  for await (const key of source.list(`${teamId}/`)) {
    const bytes = await source.get(key);
    if (bytes !== null) files[key] = await copyFileTo(join(folder, 'files', key), bytes);
  }
  return files;
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
