import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServerAccount } from './server-account.ts';

const execute = promisify(execFile);

interface ProgramOptions {
  /** Entered before the account is switched, so it may be one that the account could not reach by its path. */
  readonly cwd: string;
  readonly account: ServerAccount | undefined;
}

/** What a program of PostgreSQL may see of our environment: no PG* variable, no locale, no secret of Parley's. */
export function programEnvironment(): NodeJS.ProcessEnv {
  // Without LC_ALL macOS looks the locale up in a way that starts threads, which the postmaster refuses.
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program to its end and returns its standard output. Throws with its error output when it fails. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, account }: ProgramOptions,
): Promise<string> {
  const { stdout } = await execute(file, args, { cwd, env: programEnvironment(), ...account });
  return stdout;
}
