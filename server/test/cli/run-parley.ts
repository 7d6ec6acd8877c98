import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const parleyProgram = join(import.meta.dirname, '../../../bin/parley.js');

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

interface Launch {
  /** The Node that starts the program. Default: this one. */
  node?: string;
  program?: string;
}

/** Runs `parley` with these arguments and waits for its end. */
export function runParley(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { node = process.execPath, program = parleyProgram }: Launch = {},
): Promise<Finished> {
  const options = {
    env: { ...process.env, ...environment },
    timeout: 120_000,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve) => {
    execFile(node, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}
