import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Addresses {
  api?: string;
  pool?: string;
  simulator?: string;
}

export interface ServiceProcess {
  /** The base URLs of its roles, from the log entry `ready`. */
  addresses: Addresses;
  child: ChildProcess;
  /** Resolves to the exit code. */
  ended: Promise<number | null>;
}

/** Differences from a plain `node server/src/main.ts`. */
export interface Launch {
  /** The program that starts the service, such as npm, with its arguments. */
  command?: readonly [string, ...string[]];
  cwd?: string;
  /** The account of the process. Needs root. */
  uid?: number;
  gid?: number;
}

export const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** Starts Parley as a separate process that logs to `logFile`, and waits until it is ready. Throws if it exits before. */
export async function startService(
  environment: Record<string, string>,
  logFile: string,
  { command = [process.execPath, main], ...launch }: Launch = {},
): Promise<ServiceProcess> {
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const [program, ...args] = command;
  const child = spawn(program, args, { ...launch, env: { ...process.env, ...environment } });
  // Resolves after the last lines are in the log file.
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => log.end(() => resolve(code))),
  );
  const stderr: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk.toString());
    log.write(chunk);
  });
  const ready = new Promise<Addresses>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      const entry = parseLine(line);
      if (entry?.msg === 'ready') resolve(entry);
    });
  });
  const stopped = ended.then((code): never => {
    throw new Error(`Parley exited with code ${code} before it was ready:\n${stderr.join('')}`);
  });
  const addresses = await Promise.race([ready, stopped]);
  return { addresses, child, ended };
}

function parseLine(line: string): (Addresses & { msg?: string }) | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
