import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { queryOnce, startMember } from '../../../test/embedded-members.ts';
import { openInstallation } from '../../../test/open-installation.ts';
import { readRunningPid } from './postmaster-lock.ts';

/** Every Linux has this user. PostgreSQL requires one with a name. */
const ORDINARY = { uid: 1, gid: 1 };
const { root, node } = await openInstallation();
const asOrdinary = { ...ORDINARY, cwd: '/', root, execPath: node };

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

test('root runs the server as nobody in a directory that only root can enter', onlyRoot, async () => {
  const dataDir = join(await createDirectoryFor({ uid: 0, gid: 0 }), 'parley/data');
  const member = await startMember(dataDir);
  assert.equal(member.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), 65_534);
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, 65_534);
  assert.equal((await stat(join(dataDir, 'postgres.log'))).mode & 0o777, 0o600);
  await member.release();

  // A restored backup belongs to root.
  execFileSync('chown', ['-R', '0:0', join(dataDir, 'postgres')]);
  const restored = await startMember(dataDir);
  assert.equal(restored.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), 65_534);
  await restored.release();
});

test('an ordinary user runs the server, and root later runs it as that user', onlyRoot, async () => {
  const dataDir = await createDirectoryFor(ORDINARY);
  const member = await startMember(dataDir, asOrdinary);
  assert.equal(member.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), ORDINARY.uid);
  await queryOnce(member.joined.url ?? '', 'CREATE TABLE kept ()');
  await member.release();

  const byRoot = await startMember(dataDir);
  assert.equal(byRoot.joined.error, undefined);
  assert.equal(await readServerOwner(dataDir), ORDINARY.uid);
  await queryOnce(byRoot.joined.url ?? '', 'SELECT FROM kept');
  await byRoot.release();

  const again = await startMember(dataDir, asOrdinary);
  assert.equal(again.joined.error, undefined);
  await again.release();
});

test('rejects an ordinary user whose data directory belongs to another user', onlyRoot, async () => {
  const dataDir = await createDirectoryFor(ORDINARY, 0o755);
  await mkdir(join(dataDir, 'postgres'), { mode: 0o700 });
  const member = await startMember(dataDir, asOrdinary);
  assert.equal(member.joined.error?.reason, 'other_owner');
  assert.match(member.joined.error?.message ?? '', /belongs to another user/);
});
