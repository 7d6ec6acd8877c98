import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServerAccount } from './server-account.ts';

const execute = promisify(execFile);

interface ProgramOptions {
  /** Entered before the account changes, so the account may be unable to follow the path. */
  readonly cwd: string;
  readonly account: ServerAccount | undefined;
}

export function programEnvironment(): NodeJS.ProcessEnv {
  // Without LC_ALL, macOS starts threads to find the locale, and the postmaster refuses to start.
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, account }: ProgramOptions,
): Promise<string> {
  const { stdout } = await execute(file, args, { cwd, env: programEnvironment(), ...account });
  return stdout;
}
