import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { queryOnce, startMember } from '../../../../test/embedded-members.ts';
import { openInstallation } from '../../../../test/open-installation.ts';
import { findDedicatedAccount } from '../../shared/dedicated-accounts.ts';
import { readRunningPid } from './postmaster-lock.ts';
import { chooseServerAccount, nobodyAccount } from './server-account.ts';

/** Every Linux has this user. PostgreSQL requires one with a name. */
const ordinaryAccount = { uid: 1, gid: 1 };
const { root, node } = await openInstallation();
const asOrdinary = { ...ordinaryAccount, cwd: '/', root, execPath: node };

const scratch = await mkdtemp(join(tmpdir(), 'parley-account-'));
await chmod(scratch, 0o755);
after(() => rm(scratch, { recursive: true, force: true }));

const onlyRoot = { skip: process.getuid?.() !== 0 && 'only root can become another user' };

async function createDirectoryFor(account: { uid: number; gid: number }, mode = 0o700): Promise<string> {
  const directory = await mkdtemp(join(scratch, 'data-'));
  await chown(directory, account.uid, account.gid);
  await chmod(directory, mode);
  return directory;
}

async function readServerOwner(dataDir: string): Promise<number> {
  const pid = await readRunningPid(join(dataDir, 'postgres/cluster'));
  return (await stat(`/proc/${pid ?? assert.fail('no server is running')}`)).uid;
}

test(
  'root runs the server as a dedicated account in a directory that only root can enter',
  onlyRoot,
  async () => {
    const dataDir = join(await createDirectoryFor({ uid: 0, gid: 0 }), 'parley/data');
    const { uid } = await findDedicatedAccount('database');
    const member = await startMember(dataDir);
    assert.equal(member.joined.error, undefined);
    assert.equal(await readServerOwner(dataDir), uid);
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, uid);
    assert.equal((await stat(join(dataDir, 'postgres.log'))).mode & 0o777, 0o600);
    await member.release();

    // A restored backup belongs to root.
    execFileSync('chown', ['-R', '0:0', join(dataDir, 'postgres')]);
    const restored = await startMember(dataDir);
    assert.equal(restored.joined.error, undefined);
    assert.equal(await readServerOwner(dataDir), uid);
    await restored.release();
  },
);

test('a running server of nobody keeps its account until it stops', onlyRoot, async () => {
  const dataDir = await createDirectoryFor(nobodyAccount);
  const home = join(dataDir, 'postgres');
  await mkdir(join(home, 'cluster'), { recursive: true });
  await chown(home, nobodyAccount.uid, nobodyAccount.gid);
  assert.deepEqual(await chooseServerAccount(home), await findDedicatedAccount('database'));
  // A process counts as the server of its working directory.
  const server = spawn('sleep', ['60'], { cwd: join(home, 'cluster') });
  await once(server, 'spawn');
  await writeFile(join(home, 'cluster/postmaster.pid'), `${server.pid}\n`);
  assert.deepEqual(await chooseServerAccount(home), nobodyAccount);
  server.kill();
});

test('an ordinary user runs the server, and root later runs it as that user', onlyRoot, async () => {
  const dataDir = await createDirectoryFor(ordinaryAccount);
  const member = await startMember(dataDir, asOrdinary);
  assert.equal(member.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), ordinaryAccount.uid);
  await queryOnce(member.joined.url ?? '', 'create table kept ()');
  await member.release();

  const byRoot = await startMember(dataDir);
  assert.equal(byRoot.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), ordinaryAccount.uid);
  await queryOnce(byRoot.joined.url ?? '', 'select from kept');
  await byRoot.release();

  const again = await startMember(dataDir, asOrdinary);
  assert.equal(again.joined.error, undefined);
  await again.release();
});

test('rejects an ordinary user whose data directory belongs to another user', onlyRoot, async () => {
  const dataDir = await createDirectoryFor(ordinaryAccount, 0o755);
  await mkdir(join(dataDir, 'postgres'), { mode: 0o700 });
  const member = await startMember(dataDir, asOrdinary);
  assert.equal(member.joined.error?.reason, 'other_owner');
  assert.match(member.joined.error?.message ?? '', /belongs to another user/);
});
