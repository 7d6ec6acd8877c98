import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Account, findDedicatedAccount } from '../../../platform/shared/dedicated-accounts.ts';
import { findReaderLaunch, isolationLayers, noTargets, plainLaunch, runProbe } from './reader-isolation.ts';
import type { ProbeReport } from './reader-probe.ts';
import { startReader } from './readers.ts';

/** Open to every user, so that only the isolation protects it. */
const directory = mkdtempSync(join(tmpdir(), 'isolation-'));
chmodSync(directory, 0o777);
after(() => rmSync(directory, { recursive: true }));
const filePath = join(directory, 'encryption-key');
writeFileSync(filePath, 'secret');

let accepted = 0;
async function listen(options: ListenOptions): Promise<Server> {
  const server = createServer((socket) => {
    accepted += 1;
    socket.destroy();
  }).listen(options);
  await once(server, 'listening');
  after(() => server.close());
  return server;
}
const socketPath = join(directory, '.s.PGSQL.5432');
await listen({ path: socketPath });
chmodSync(socketPath, 0o777);
const { port } = (await listen({ host: '127.0.0.1', port: 0 })).address() as AddressInfo; // of a TCP server
const targets = { ...noTargets, port, socketPath, filePath, descriptor: 0 };

const logged: object[] = [];
const log = (facts: object) => void logged.push(facts);
const launch = await findReaderLaunch({ info: log, warn: log });
const account = process.getuid?.() === 0 ? await findDedicatedAccount('documentReader') : null;
const usesOwnAccount = account !== null && canRunProbe(account);

/** Without the code under test. */
function canRunProbe(as: Account): boolean {
  const probe = fileURLToPath(new URL('./reader-probe.ts', import.meta.url));
  return spawnSync(process.execPath, ['--check', probe], { cwd: '/', ...as }).status === 0;
}
const has = (program: string) => launch.launcher.includes(program);
const notLinux = process.platform !== 'linux' && 'only Linux offers these protections';
const unlessPresent = (program: string) => ({
  skip: notLinux || (!has(program) && `${program} is missing or not allowed here`),
});

test('without isolation, the probe reaches a loopback port and a socket', async () => {
  const report = await runProbe(plainLaunch, targets);
  assert.deepEqual([report?.tcp, report?.unixSocket, report?.signal], [null, null, null]);
  assert.equal(accepted, 2);
  accepted = 0;
});

test('a reader can neither read files of the server nor start processes', async () => {
  const report = await runProbe(launch, targets);
  assert.deepEqual([report?.file, report?.process], ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
});

test('a reader in a network namespace reaches no port', unlessPresent('unshare'), async () => {
  const [unshare] = isolationLayers;
  const report = await runProbe({ ...launch, launcher: unshare ?? [] }, targets);
  assert.equal(report?.tcp, 'ENETUNREACH');
  assert.equal(accepted, 1, 'a network namespace alone does not hide sockets in the file system');
  accepted = 0;
});

test(
  'a confined reader reaches no port and no socket and signals no process',
  unlessPresent('perl'),
  async () => {
    for (const launcher of [launch.launcher, launch.launcher.slice(launch.launcher.indexOf('perl'))]) {
      const report = await runProbe({ ...launch, launcher }, targets);
      assert.deepEqual([report?.tcp, report?.unixSocket, report?.signal], ['EPERM', 'EPERM', 'EPERM']);
    }
  },
);

test('a confined program inherits no files and starts no process', unlessPresent('perl'), () => {
  const code = `const { spawnSync } = require('node:child_process');
    console.log(spawnSync('true').error?.code, (() => { try { fs.fstatSync(200) } catch (e) { return e.code } })());`;
  const run = (...command: string[]) =>
    spawnSync(
      'bash',
      ['-c', `exec 200<${filePath}; exec "$@"`, 'bash', ...command, process.execPath, '-e', code],
      {
        encoding: 'utf8',
      },
    ).stdout.trim();
  assert.equal(run(), 'undefined undefined');
  assert.equal(run(...launch.launcher.slice(launch.launcher.indexOf('perl'))), 'EPERM EBADF');
});

/** An ordinary user: the server and its readers share an account. */
const user = account === null ? {} : { uid: 65534, gid: 65534 };
const userCanRun = account === null || canRunProbe({ uid: 65534, gid: 65534 });
const [unshareLayer, , perlLayer] = isolationLayers;
const hasLandlock = spawnSync('perl', ['-e', 'exit(syscall(444, 0, 0, 1) < 1)']).status === 0;

/** Returns what a reader can do whose server the user started with `node`. */
function probeAsUser(launcher: readonly string[], node = process.execPath): ProbeReport {
  const isolation = JSON.stringify(new URL('./reader-isolation.ts', import.meta.url));
  const code = `import { runProbe } from ${isolation};
    console.log(JSON.stringify(await runProbe(${JSON.stringify({ launcher, account: null })})));`;
  const { stdout, stderr } = spawnSync(node, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'], ENCRYPTION_KEY: 'secret' },
    ...user,
  });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as ProbeReport; // written by the probe
}

const unlessUser = (missing: string | false) => ({
  skip: notLinux || (!userCanRun && 'the folder of this installation is closed to other accounts') || missing,
});

test('without isolation, a reader of an ordinary user opens its server', unlessUser(false), () => {
  const { otherFile, environment, memory } = probeAsUser([]);
  assert.deepEqual([otherFile, environment, memory], [null, null, null]);
});

test(
  'a confined reader of an ordinary user opens neither its server nor other files',
  unlessUser(!hasLandlock && 'this kernel has no Landlock, or no perl is present'),
  () => {
    const { otherFile, environment, memory, tcp, signal } = probeAsUser(perlLayer ?? []);
    assert.deepEqual([otherFile, environment, memory], ['EACCES', 'EACCES', 'EACCES']);
    assert.deepEqual([tcp, signal], ['EPERM', 'EPERM']);
  },
);

test(
  'a reader in a user namespace does not open its server',
  unlessUser(!has('unshare') && 'user namespaces are not allowed here'),
  () => {
    const { environment, memory } = probeAsUser(unshareLayer ?? []);
    assert.deepEqual([environment, memory], ['EACCES', 'EACCES']);
  },
);

test(
  'a reader does not open a server whose Node its account cannot read',
  unlessUser(account === null && 'only root can install such a Node'),
  () => {
    const node = join(directory, 'node');
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o711);
    const { environment, memory } = probeAsUser([], node);
    assert.deepEqual([environment, memory], ['EACCES', 'EACCES']);
  },
);

/** The target of one entry of `/proc/PID/fd`; empty for a file that the process has closed since the entries were listed. */
function readOpenFile(entry: string): string[] {
  try {
    return [readlinkSync(entry)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

test('a reader has its own account, gains no privileges and reads documents', {
  skip: notLinux,
}, async () => {
  const children: ChildProcess[] = [];
  const remember = (message: unknown) => children.push((message as { process: ChildProcess }).process);
  subscribe('child_process', remember); // as Node documents this channel
  const limits = { memoryMb: 512, maxInflatedBytes: 2 ** 26, processorMs: 20_000, launch };
  const reader = startReader(limits);
  after(() => reader.end());
  const { chars } = await reader.extract({ type: 'txt', bytes: Buffer.from('Hello') });
  assert.equal(chars, 5);
  const { pid } = children[0] ?? assert.fail();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (field: string) => new RegExp(`^${field}:\\s*(\\S+)`, 'm').exec(status)?.[1];
  assert.equal(read('Uid'), String(launch.account?.uid ?? process.getuid?.()));
  assert.equal(read('NoNewPrivs'), has('setpriv') || has('perl') ? '1' : '0');
  assert.equal(read('Seccomp'), has('perl') ? '2' : read('Seccomp'));
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => readOpenFile(`/proc/${pid}/fd/${fd}`));
  const sockets = files.filter((file) => file.startsWith('socket:'));
  assert.ok(sockets.length <= 3, `only standard input, output and errors: ${files.join(' ')}`);
});

const needsRoot = { skip: notLinux || (account === null && 'only root can change the account') };

test('readers of a server that root started have an account of their own', {
  skip: needsRoot.skip || (!usesOwnAccount && 'the folder of this installation is closed to other accounts'),
}, async () => {
  const report = await runProbe(launch, targets);
  assert.deepEqual(launch.account, account);
  assert.notEqual(report?.uid, 0);
});

test(
  'readers in a folder that is closed to other accounts keep the account of the server',
  needsRoot,
  async () => {
    const closed = mkdtempSync(join(tmpdir(), 'closed-'));
    after(() => rmSync(closed, { recursive: true }));
    const source = new URL('../../../../', import.meta.url);
    for (const path of ['package.json', 'src/knowledge/documents', 'src/platform/shared'])
      cpSync(new URL(path, source), join(closed, path), { recursive: true });
    symlinkSync(fileURLToPath(new URL('../node_modules', source)), join(closed, 'node_modules'));
    const copy = join(closed, 'src/knowledge/documents/extraction/reader-isolation.ts');
    const isolation: typeof import('./reader-isolation.ts') = await import(pathToFileURL(copy).href);
    const entries: unknown[][] = [];
    const add = (...entry: unknown[]) => void entries.push(entry);
    const found = await isolation.findReaderLaunch({ info: add, warn: add });
    assert.equal(found.account, null);
    assert.equal(entries.length, 2);
    assert.match(String(entries[0]), /install Parley in a folder that other accounts can enter and read/);
  },
);

test('logs the protections that are in force', () => {
  const report = {
    network: has('perl') || has('unshare') ? 'blocked' : 'open',
    unixSockets: has('perl') ? 'blocked' : 'open',
    signals: has('perl') || launch.account !== null ? 'blocked' : 'open',
    serverMemory: hasLandlock || has('unshare') || launch.account !== null ? 'blocked' : 'open',
    otherFiles: hasLandlock ? 'blocked' : 'open to an exploited reader',
    noNewPrivileges: has('perl') || has('setpriv'),
    uid: launch.account?.uid ?? 'same as the server',
    launcher: launch.launcher.join(' '),
  };
  const refusedAccount = account === null || usesOwnAccount ? [] : [{ uid: account.uid }];
  assert.deepEqual(logged, [...refusedAccount, report]);
});
