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
  /** Where its roles listen, as its log says when it is ready. */
  addresses: Addresses;
  child: ChildProcess;
  /** The exit code, once it has ended. */
  ended: Promise<number | null>;
}

/** What may differ from a plain `node server/src/main.ts` by this user. */
export interface Launch {
  /** A program with its arguments that runs the service, such as npm. */
  command?: readonly [string, ...string[]];
  cwd?: string;
  /** The account, where this process may choose one. */
  uid?: number;
  gid?: number;
}

export const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/**
 * Starts Parley as a process of its own with its log in `logFile`, and waits until it is ready. What is written to the
 * child's standard input reaches it.
 */
export async function startService(
  environment: Record<string, string>,
  logFile: string,
  { command = [process.execPath, main], ...launch }: Launch = {},
): Promise<ServiceProcess> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const [program, ...args] = command;
  const child = spawn(program, args, { ...launch, env: { ...process.env, ...environment } });
  // With its last lines in the file, for whoever reads it then.
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => log.end(() => resolve(code))),
  );
  const complaints: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    complaints.push(chunk.toString());
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
    throw new Error(`Parley ended before it was ready (exit code ${code}):\n${complaints.join('')}`);
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
