import { mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import {
  type EmbeddedServerError,
  initdbFailed,
  notACluster,
  otherVersion,
} from './embedded-server.errors.ts';
import { runProgram } from './run-program.ts';
import { changeOwner, type ServerAccount } from './server-account.ts';

/** The role every cluster is made with: its owner, as which Parley connects. */
export const CLUSTER_ROLE = 'parley';

const DRAFT_PREFIX = 'initdb-';

/**
 * How character classes are told, which full-text search needs for marks outside ASCII (“ ” « » –). Not every system
 * has the first; all else of the locale is PostgreSQL's own C.UTF-8 and the same everywhere.
 */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'];

interface ClusterRequest {
  /** Where the cluster is or shall be; its parent must be a directory of the account's own. */
  readonly directory: string;
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  /** Written to `postgresql.conf` of a new cluster, where the operator may change them. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Makes sure there is a cluster of our version at `directory`, creating it when there is none.
 *
 * It is created beside and put in its place by one rename, so a crash leaves a draft at most, and of two programs
 * creating it at once one wins and both go on with the winner's.
 */
export async function ensureCluster(request: ClusterRequest): Promise<void> {
  const { directory, binaries } = request;
  if ((await readVersion(directory)) === undefined) await createCluster(request);
  const version = await readVersion(directory);
  if (version !== String(binaries.major)) {
    throw otherVersion(directory, version ?? 'an unknown version', binaries.major);
  }
  await removeDrafts(dirname(directory));
}

/** The major version a cluster was written by, or undefined when there is nothing at `directory` yet. */
async function readVersion(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    const content = await readdir(directory).catch(() => []);
    if (content.length > 0) throw notACluster(directory);
    return undefined;
  }
}

async function createCluster(request: ClusterRequest): Promise<void> {
  const { directory, account } = request;
  const parent = dirname(directory);
  const draft = await mkdtemp(join(parent, DRAFT_PREFIX));
  try {
    await changeOwner(account, draft);
    await initialise(draft, request);
    await rename(draft, directory);
    await flushDirectory(parent);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // The other program that was faster may have removed our draft; its cluster is as good as ours.
    if ((await readVersion(directory)) === undefined) throw error;
  }
}

async function initialise(draft: string, { binaries, account, settings }: ClusterRequest): Promise<void> {
  const args = [
    ...['-D', dataDirectoryArgument(draft, account), '-U', CLUSTER_ROLE, '--no-instructions'],
    // Whoever can enter the directory of the socket is trusted: this user alone.
    ...['--auth-local=trust', '--auth-host=trust'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
  for (const characterType of CHARACTER_TYPES) {
    const problem = await runInitdb(binaries.initdb, [...args, `--lc-ctype=${characterType}`], {
      cwd: draft,
      account,
    });
    if (problem === undefined) return;
    if (!problem.message.includes('invalid locale name')) throw problem;
  }
  throw initdbFailed(`no locale of ${CHARACTER_TYPES.join(', ')} is known here`, undefined);
}

async function runInitdb(
  ...program: Parameters<typeof runProgram>
): Promise<EmbeddedServerError | undefined> {
  try {
    await runProgram(...program);
    return undefined;
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    return initdbFailed(output.trim().replaceAll('\n', '; ') || String(error), error);
  }
}

/**
 * How PostgreSQL's programs are told a data directory that they are started in. Under a switched account that is the
 * working directory itself, which root entered for them: it serves also where the account could not follow the path,
 * because a directory above is closed to it.
 */
export function dataDirectoryArgument(directory: string, account: ServerAccount | undefined): string {
  return account === undefined ? directory : '/proc/self/cwd';
}

/** Once a cluster is in place, every draft is what a crash or a slower program left. */
async function removeDrafts(parent: string): Promise<void> {
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(DRAFT_PREFIX));
  // A slower program may be writing into its draft still; then the next start removes what is left.
  await Promise.all(
    drafts.map((name) => rm(join(parent, name), { recursive: true, force: true }).catch(() => {})),
  );
}

/** Makes a rename survive a power cut. */
async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync();
  await directory.close();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
