import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { queryOnce } from '../../../../test/embedded-members.ts';
import { startScratchServer } from '../../../../test/scratch-server.ts';
import { invalidateStaleLock, readRunningPid } from './postmaster-lock.ts';
import { chooseServerAccount } from './server-account.ts';

const server = await startScratchServer({ tcp: false });
const home = join(server.dataDir, 'postgres');
const cluster = join(home, 'cluster');
const lockPaths = [join(cluster, 'postmaster.pid'), join(home, 'socket/.s.PGSQL.5432.lock')];
after(() => server.remove());

/** Restores the lock files after a crash and starts another program with the process id in them. */
async function crashAndReusePid(): Promise<{ pid: number; end(): Promise<void> }> {
  const locks = await Promise.all(lockPaths.map((path) => readFile(path, 'utf8')));
  await server.stop('immediate');
  const account = await chooseServerAccount(home);
  const program = spawn('sleep', ['60'], { cwd: '/', ...account });
  await once(program, 'spawn');
  const pid = program.pid ?? assert.fail('no process');
  for (const [index, path] of lockPaths.entries()) {
    await writeFile(path, (locks[index] ?? '').replace(/^\d+/, String(pid)), { mode: 0o600 });
    if (account !== undefined) await chown(path, account.uid, account.gid);
  }
  return {
    pid,
    async end() {
      program.kill();
      await once(program, 'exit');
    },
  };
}

test('finds a running server by its lock file', async () => {
  const pid = await readRunningPid(cluster);
  assert.equal(pid, Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10));
});

test('starts although another program of the user reuses the process id of the crashed server', async () => {
  const other = await crashAndReusePid();
  try {
    assert.equal(await readRunningPid(cluster), undefined);
    await server.start();
    assert.deepEqual(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }]);
    assert.notEqual(await readRunningPid(cluster), other.pid);
  } finally {
    await other.end();
  }
});

test('a second postmaster does not affect the first one', async () => {
  const pid = await readRunningPid(cluster);
  // It returns at once because the first is running.
  await server.start();
  assert.equal(await readRunningPid(cluster), pid);
  assert.deepEqual(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }]);
});

test('does not change the lock of a server that starts during the check', async () => {
  const lock = join(cluster, 'postmaster.pid');
  const content = await readFile(lock, 'utf8');
  for (let turns = 0; turns < 30; turns += 1) {
    await rename(lock, `${lock}.away`);
    const invalidation = invalidateStaleLock(cluster);
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    await rename(`${lock}.away`, lock);
    await invalidation;
    assert.equal(await readFile(lock, 'utf8'), content);
  }
});
