/** Runs in place of a reader and reports what the system lets it do. Argument: the targets as JSON. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';

export interface ProbeTargets {
  port: number;
  socketPath: string;
  filePath: string;
  descriptor: number;
  /** Paths that Node.js may read, so that only the system can refuse them. */
  otherFile: string;
  environment: string;
  memory: string;
}

/** For each attempt the error's code, or null if it succeeded. */
export interface ProbeReport {
  tcp: string | null;
  unixSocket: string | null;
  file: string | null;
  otherFile: string | null;
  /** Of the server. */
  environment: string | null;
  memory: string | null;
  process: string | null;
  /** Signals the server. */
  signal: string | null;
  descriptor: string | null;
  uid: number;
  noNewPrivileges: boolean;
}

const getCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

async function attempt(action: () => unknown): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    return getCode(error);
  }
}

const connectTo = (options: NetConnectOpts): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(options, () => resolve(void socket.destroy())).on('error', reject);
  });

const startProcess = (): Promise<void> =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, ['--version']).on('error', reject).on('exit', resolve);
  });

const readStatus = (): string => {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
};

async function probe(targets: ProbeTargets): Promise<ProbeReport> {
  return {
    tcp: await attempt(() => connectTo({ host: '127.0.0.1', port: targets.port })),
    unixSocket: await attempt(() => connectTo({ path: targets.socketPath })),
    file: await attempt(() => readFileSync(targets.filePath)),
    otherFile: await attempt(() => readFileSync(targets.otherFile)),
    environment: await attempt(() => closeSync(openSync(targets.environment, 'r'))),
    memory: await attempt(() => closeSync(openSync(targets.memory, 'r'))),
    process: await attempt(startProcess),
    signal: await attempt(() => process.kill(process.ppid, 0)),
    descriptor: await attempt(() => fstatSync(targets.descriptor)),
    uid: process.getuid?.() ?? -1,
    noNewPrivileges: /^NoNewPrivs:\s*1$/m.test(readStatus()),
  };
}

const report = await probe(JSON.parse(process.argv[2] ?? '') as ProbeTargets); // written by reader-isolation.ts
process.stdout.write(JSON.stringify(report));
