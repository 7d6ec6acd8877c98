import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { parseFileKey } from '../../knowledge/documents/file-keys.ts';
import { readArchiveFile } from '../../platform/database/backup/archive-file.ts';
import { isFileKey } from '../../ports/file-store/file-key.ts';
import { CommandFailed } from './command.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Size = Type.Integer({ minimum: 0 });

const TeamManifest = Type.Object({
  format: Type.Literal(1),
  teamId: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  name: Type.String(),
  /** The newest migration. */
  schema: Type.Integer(),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.ReadonlyType(Type.Array(Type.String())),
      file: Type.String(),
      rows: Size,
      bytes: Size,
      sha256: Digest,
    }),
    { maxItems: 1000 },
  ),
  files: Type.Record(Type.String(), Type.Object({ bytes: Size, sha256: Digest })),
});
export type TeamManifest = Static<typeof TeamManifest>;

export const manifestFile = 'team.json';
/** A team with a million files has half of it. */
const maxManifestBytes = 256 * 1024 * 1024;

/** Seals the secrets in the folder, so that no deployment needs the key of the other one. */
export const keyFile = 'transfer-key';

export async function readTeamManifest(folder: string): Promise<TeamManifest> {
  const manifest = parse(await readArchiveFile(folder, manifestFile, maxManifestBytes));
  const { format } = Object(manifest) as { format?: unknown };
  if (format !== 1)
    throw new CommandFailed(`The export has format ${String(format)}, which this Parley cannot read`);
  if (!Value.Check(TeamManifest, manifest))
    throw new CommandFailed(`${manifestFile} of ${folder} is not what an export writes`);
  const foreign = Object.keys(manifest.files).find((key) => !isKeyOf(manifest.teamId, key));
  if (foreign !== undefined)
    throw new CommandFailed(`The export has a file that is not one of the team: ${foreign}`);
  return manifest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a stored file is a document or a medium of the team. */
export function isKeyOf(teamId: string, key: string): boolean {
  const parsed = parseFileKey(key);
  return isFileKey(key) && parsed?.teamId === teamId && parsed.documentId === null;
}

export async function readTransferKey(folder: string): Promise<Buffer> {
  const key = Buffer.from(await readArchiveFile(folder, keyFile, 1024), 'base64');
  if (key.length === 32) return key;
  throw new CommandFailed(`${keyFile} of ${folder} is damaged`);
}
