import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Account, findDedicatedAccount } from '../../../platform/shared/dedicated-accounts.ts';
import type { Logger } from '../../../platform/shared/logger.ts';
import { processPermissions, readablePaths } from './process-permissions.ts';
import type { ProbeReport, ProbeTargets } from './reader-probe.ts';

/** How to start a reader, beyond the permissions that Node.js checks. */
export interface ReaderLaunch {
  /** A command that runs the reader, or nothing. */
  launcher: readonly string[];
  /** Null: the server's own. */
  account: Account | null;
}

export const plainLaunch: ReaderLaunch = { launcher: [], account: null };

const probeProgram = fileURLToPath(new URL('./reader-probe.ts', import.meta.url));
const confineProgram = fileURLToPath(new URL('./confine.pl', import.meta.url));

/** Each is used if the system has it and allows it. Two of them block the network, since either may be missing. */
export const isolationLayers: readonly (readonly string[])[] = [
  ['unshare', '--user', '--net', '--'],
  ['setpriv', '--no-new-privs', '--'],
  ['perl', confineProgram, process.execPath, ...readablePaths, '--'],
];

/** Readers need no other environment variable. */
export const systemPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

const sharedAccount =
  'document readers share the account of the server, because their own cannot run them; install Parley in a folder that ' +
  'other accounts can enter and read (docs/hardening.md)';

/** Finds the strongest launch that works here, and logs what a reader can do under it. */
export async function findReaderLaunch(logger: Pick<Logger, 'info' | 'warn'>): Promise<ReaderLaunch> {
  const accounts = process.getuid?.() === 0 ? [await findDedicatedAccount('documentReader'), null] : [null];
  for (const account of accounts) {
    const launch = { launcher: await findLauncher(account), account };
    const report = await runProbe(launch);
    if (report === null) {
      if (account !== null) logger.warn({ uid: account.uid }, sharedAccount);
      continue;
    }
    logReport(logger, launch, report);
    return launch;
  }
  logger.warn(
    'document readers start without isolation from the system: the start of a confined reader failed',
  );
  return plainLaunch;
}

/** Returns the layers that work together. Empty except on Linux. */
async function findLauncher(account: Account | null): Promise<readonly string[]> {
  const launcher: string[] = [];
  if (process.platform !== 'linux') return launcher;
  for (const layer of isolationLayers) {
    const output = await run({ launcher: [...launcher, ...layer], account }, ['true']);
    if (output !== null) launcher.push(...layer);
  }
  return launcher;
}

/** The default targets need no listener: the error's code shows whether the system allowed the attempt. */
export const noTargets: ProbeTargets = {
  port: 9,
  socketPath: '/nonexistent',
  filePath: '/etc/passwd',
  descriptor: -1,
  otherFile: '/etc/group',
  environment: `/proc/${process.pid}/environ`,
  memory: `/proc/${process.pid}/mem`,
};

/** Returns null if the probe did not start under this launch. */
export async function runProbe(launch: ReaderLaunch, targets = noTargets): Promise<ProbeReport | null> {
  const { otherFile, environment, memory } = targets;
  const readable = ['/proc/self/status', otherFile, environment, memory];
  const permissions = [...processPermissions, ...readable.map((path) => `--allow-fs-read=${path}`)];
  const args = [...permissions, probeProgram, JSON.stringify(targets)];
  const output = await run(launch, [process.execPath, ...args]);
  return output === null ? null : (JSON.parse(output) as ProbeReport); // written by the probe
}

/** Returns the standard output, or null if the command failed. */
async function run({ launcher, account }: ReaderLaunch, command: readonly string[]): Promise<string | null> {
  const [file = '', ...args] = [...launcher, ...command];
  try {
    const child = spawn(file, args, {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: ['ignore', 'pipe', 'ignore'],
      ...account,
    });
    const exit = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    const output = await text(child.stdout);
    return (await exit) === 0 ? output : null;
  } catch {
    return null; // the system refuses the account
  }
}

const refusals = new Set(['EPERM', 'EACCES', 'ENETUNREACH']);
const isRefused = (code: string | null): boolean => code !== null && refusals.has(code);

function logReport(
  logger: Pick<Logger, 'info' | 'warn'>,
  { launcher, account }: ReaderLaunch,
  report: ProbeReport,
): void {
  const network = isRefused(report.tcp);
  const server = isRefused(report.environment) && isRefused(report.memory);
  const facts = {
    network: network ? 'blocked' : 'open',
    unixSockets: isRefused(report.unixSocket) ? 'blocked' : 'open',
    signals: isRefused(report.signal) ? 'blocked' : 'open',
    serverMemory: server ? 'blocked' : 'open',
    otherFiles: isRefused(report.otherFile) ? 'blocked' : 'open to an exploited reader',
    noNewPrivileges: report.noNewPrivileges,
    uid: account?.uid ?? 'same as the server',
    launcher: launcher.join(' '),
  };
  if (!network) logger.warn(facts, 'document readers can reach the network; see docs/hardening.md');
  else if (!server)
    logger.warn(facts, 'an exploited document reader can read the keys of the server; see docs/hardening.md');
  else logger.info(facts, 'document readers are isolated');
}
