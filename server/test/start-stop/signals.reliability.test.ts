import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Launch } from '../../../scripts/demo/service-process.ts';
import { createDeployment, type Program } from './deployment.ts';
import { beginSend, createLinkedBot, signIn } from './linked-bot.ts';

const repository = join(import.meta.dirname, '../../..');
const npm: Launch = { command: ['npm', 'start'], cwd: repository };

/** Runs a command in a pseudo-terminal whose keyboard is standard input. */
const inTerminal = (command: string): Launch => ({
  command: ['script', '--quiet', '--return', '--command', command, '/dev/null'],
  cwd: repository,
});

const ctrlC = '\x03';

/** Returns the service's process id. npm or the terminal may have started it. */
function findServicePid(program: Program): number {
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [])
    .map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }));
  const descendants = new Set([program.child.pid]);
  // A parent may follow its children in the list.

  for (const _generation of ['terminal', 'shell', 'npm', 'shell', 'service'])
    for (const { pid, parent } of processes) if (descendants.has(parent)) descendants.add(pid);
  const service = processes.find(
    ({ pid, command }) => descendants.has(pid) && /^\S*node (?:--\S+ )*\S*bin\/start\.js$/.test(command),
  );
  assert.ok(service, `the service is not among ${[...descendants]}`);
  return service.pid;
}

/** Returns the reason to skip a test that needs a terminal, or false. */
const missingTerminal = (): string | false => {
  if (process.platform !== 'linux') return 'script(1) has other options on this platform';
  return spawnSync('script', ['--version']).error === undefined ? false : 'script(1) is not installed';
};

/** Returns the process ids of PostgreSQL. */
const findPostgresPids = (postmaster: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
    .flatMap(([pid = 0, parent]) => (pid === postmaster || parent === postmaster ? [pid] : []));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('SIGTERM to npm stops the service and PostgreSQL with exit code 0', async () => {
  const deployment = await createDeployment();
  const program = await deployment.start({}, npm);
  const service = findServicePid(program);
  assert.notEqual(service, program.child.pid);
  await program.stop();
  assert.match(program.log(), /"msg":"stopped"/);
  assert.equal(isAlive(service), false);
  assert.equal(await deployment.postgresPid(), undefined);
});

test('SIGHUP, as from a closed terminal, stops the service and PostgreSQL with exit code 0', async () => {
  const deployment = await createDeployment();
  const program = await deployment.start();
  program.child.kill('SIGHUP');
  assert.equal(await program.ended, 0);
  assert.match(program.log(), /"msg":"stopped"/);
  assert.equal(await deployment.postgresPid(), undefined);
});

test('Ctrl-C counts as one signal, although npm forwards it, and running work finishes', {
  skip: missingTerminal(),
}, async () => {
  const deployment = await createDeployment();
  const program = await deployment.start({}, inTerminal('npm start'));
  const service = findServicePid(program);
  const partner = await signIn(program);
  const { deviceId } = await createLinkedBot(partner);
  const { outcome } = await beginSend(partner, deviceId, 1500);
  program.child.stdin?.write(ctrlC);
  // Throws unless the response is 200.
  await outcome;
  await program.ended;
  assert.match(program.log(), /"msg":"stopped"/);
  assert.equal(program.log().match(/"msg":"stopping/g)?.length, 1);
  assert.equal(isAlive(service), false);
  assert.equal(await deployment.postgresPid(), undefined);
  const postgresLog = await readFile(join(deployment.dataDir, 'postgres.log'), 'utf8');
  assert.equal(postgresLog.match(/received .* shutdown request/g)?.length, 1);
});

test('a second signal after more than a second ends the service at once; the next start continues', async () => {
  const deployment = await createDeployment();
  const program = await deployment.start();
  const partner = await signIn(program);
  const { deviceId } = await createLinkedBot(partner);
  // The stopping pool waits some seconds for the acknowledgement.
  await beginSend(partner, deviceId, 60_000);
  program.child.kill('SIGTERM');
  await program.hasLogged('stopping');
  program.child.kill('SIGTERM');
  await delay(1100);
  assert.equal(program.child.exitCode, null);
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 143);
  const postgres = await deployment.postgresPid();
  assert.notEqual(postgres, undefined);
  const next = await deployment.start();
  assert.equal(await deployment.postgresPid(), postgres);
  await next.stop();
  assert.equal(await deployment.postgresPid(), undefined);
});

test('stops within STOP_SECONDS while the database hangs; the next start continues', {
  timeout: 60_000,
}, async (t) => {
  const deployment = await createDeployment();
  const program = await deployment.start({ STOP_SECONDS: '2' });
  const postmaster = await deployment.postgresPid();
  assert.ok(postmaster);
  const paused = findPostgresPids(postmaster);
  const resume = () => {
    for (const pid of paused) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  };
  t.after(resume);
  for (const pid of paused) process.kill(pid, 'SIGSTOP');
  program.child.kill('SIGTERM');
  assert.equal(await program.ended, 1);
  assert.match(program.log(), /"msg":"the process did not stop within STOP_SECONDS/);
  resume();
  const next = await deployment.start();
  await next.stop();
  assert.equal(await deployment.postgresPid(), undefined);
});
