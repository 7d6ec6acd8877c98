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
import { changeOwner, nobodyAccount, type ServerAccount } from './server-account.ts';

/** The superuser of every cluster. It has no password, so it can log in only before the first start has set one up. */
export const clusterRole = 'parley';

const draftPrefix = 'initdb-';

/** Character types that full-text search needs for non-ASCII punctuation (“ ” « » –). Some systems lack the first. */
const characterTypes = ['C.UTF-8', 'en_US.UTF-8', 'C'];

interface ClusterRequest {
  readonly directory: string;
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  /** Written to `postgresql.conf` of a new cluster. The operator may change them there. */
  readonly settings: Readonly<Record<string, string>>;
}

const clusterDirectory = (dataDirectory: string): string => join(dataDirectory, 'postgres', 'cluster');

export async function hasCluster(dataDirectory: string): Promise<boolean> {
  return (await readVersion(clusterDirectory(dataDirectory))) !== undefined;
}

/** Creates the cluster if there is none. Crashes and concurrent calls never leave part of one. */
export async function ensureCluster(request: ClusterRequest): Promise<void> {
  const { directory, binaries } = request;
  if ((await readVersion(directory)) === undefined) await createCluster(request);
  const version = await readVersion(directory);
  if (version !== String(binaries.major)) {
    throw otherVersion(directory, version ?? 'an unknown version', binaries.major);
  }
  await removeDrafts(dirname(directory));
}

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
  const draft = await mkdtemp(join(parent, draftPrefix));
  try {
    // initdb needs a user with a name, which the account may lack.
    const initdbAccount = account === undefined ? undefined : nobodyAccount;
    await changeOwner(initdbAccount, draft);
    await initializeDraft(draft, { ...request, account: initdbAccount });
    await changeOwner(account, draft);
    await rename(draft, directory);
    await flushDirectory(parent);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another program may have created the cluster first and removed this draft.
    if ((await readVersion(directory)) === undefined) throw error;
  }
}

async function initializeDraft(
  draft: string,
  { binaries, account, settings }: ClusterRequest,
): Promise<void> {
  const args = [
    ...['-D', dataDirectoryArgument(draft, account), '-U', clusterRole, '--no-instructions'],
    // The first start replaces these rules (requirePassword). Only this user can enter the directory of the socket.
    ...['--auth-local=trust', '--auth-host=trust'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
  for (const characterType of characterTypes) {
    const problem = await runInitdb(binaries.initdb, [...args, `--lc-ctype=${characterType}`], {
      cwd: draft,
      account,
    });
    if (problem === undefined) return;
    if (!problem.message.includes('invalid locale name')) throw problem;
  }
  throw initdbFailed(`this system has none of the locales ${characterTypes.join(', ')}`, undefined);
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

/** Root has entered the directory already. The account may be unable to follow its path. */
export function dataDirectoryArgument(directory: string, account: ServerAccount | undefined): string {
  return account === undefined ? directory : '/proc/self/cwd';
}

async function removeDrafts(parent: string): Promise<void> {
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(draftPrefix));
  await Promise.all(
    drafts.map((name) => rm(join(parent, name), { recursive: true, force: true }).catch(() => {})),
  );
}

async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync();
  await directory.close();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
