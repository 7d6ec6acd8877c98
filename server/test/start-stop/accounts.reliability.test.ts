import assert from 'node:assert/strict';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openInstallation, ordinary } from '../open-installation.ts';
import { createDeployment } from './deployment.ts';
import { createTeam, signIn } from './linked-bot.ts';

const isRoot = process.getuid?.() === 0;
const { root, node } = await openInstallation();

/** Starts and stops the service twice below a directory that only its owner can enter. */
async function serveFromPrivateDirectory(account: { uid: number; gid: number } | undefined): Promise<string> {
  const deployment = await createDeployment();
  const privateDir = dirname(deployment.dataDir);
  await mkdir(deployment.dataDir);
  for (const path of [deployment.dataDir, privateDir]) {
    if (account !== undefined) await chown(path, account.uid, account.gid);
    await chmod(path, 0o700);
  }
  const command = [node, join(root, 'server/src/main.ts')] as const;
  const launch = { command, cwd: privateDir, ...account };
  const first = await deployment.start({ DATA_DIR: 'data' }, launch);
  const id = await createTeam(await signIn(first), 'Lumen Bikes');
  await first.stop();
  const second = await deployment.start({}, launch);
  const team = await (await signIn(second)).call<{ id: string }>('GET', `/teams/${id}`);
  assert.equal(team.id, id);
  await second.stop();
  assert.equal(await deployment.postgresPid(), undefined);
  return deployment.dataDir;
}

test('runs as an ordinary user in a directory that other users cannot enter', async () => {
  const dataDir = await serveFromPrivateDirectory(isRoot ? ordinary : undefined);
  const owner = isRoot ? ordinary.uid : process.getuid?.();
  assert.equal((await stat(join(dataDir, 'postgres/cluster'))).uid, owner);
});

test('runs as root in a directory that other users cannot enter', async (t) => {
  if (!isRoot) return t.skip('requires root');
  const dataDir = await serveFromPrivateDirectory(undefined);
  assert.notEqual((await stat(join(dataDir, 'postgres/cluster'))).uid, 0);
});
