import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { lockDirectory, SimulatorAlreadyRunning, waitForRelease } from './data-lock.ts';

const scratch = await mkdtemp(join(tmpdir(), 'data-lock-'));
after(() => rm(scratch, { recursive: true }));

const newDirectory = () => mkdtemp(join(scratch, 'simulator-'));

/** Leaves the socket of a process that was killed. */
async function leaveDeadLock(directory: string): Promise<void> {
  const path = join(scratch, 'dying');
  const server = createServer().listen(path);
  await once(server, 'listening');
  await mkdir(join(directory, 'lock'));
  await rename(path, join(directory, 'lock', 'dead'));
  server.close();
  await once(server, 'close');
}

it('gives the lock of a dead process to one of many that ask for it', async () => {
  const directory = await newDirectory();
  await leaveDeadLock(directory);
  const asked = Array.from({ length: 16 }, (_, n) => lockDirectory(directory, Promise.resolve(`url ${n}`)));
  const results = await Promise.allSettled(asked);
  const holders = results.flatMap((result, n) => (result.status === 'fulfilled' ? [n] : []));
  assert.equal(holders.length, 1);
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    assert.ok(result.reason instanceof SimulatorAlreadyRunning, result.reason);
    assert.equal(result.reason.url, `url ${holders[0]}`);
  }
  for (const result of results) if (result.status === 'fulfilled') await result.value.release();
  await waitForRelease(directory, new AbortController().signal);
  assert.deepEqual(await readdir(directory), ['lock']);
  assert.deepEqual(await readdir(join(directory, 'lock')), []);
});

it('leaves the lock to a process that is starting', async () => {
  const directory = await newDirectory();
  const lock = await lockDirectory(directory, Promise.resolve(''));
  const names = await readdir(join(directory, 'lock'));
  await assert.rejects(lockDirectory(directory, Promise.resolve('url')), /does not start/);
  assert.deepEqual(await readdir(join(directory, 'lock')), names);
  await lock.release();
});

it('listens inside the directory, which other users cannot enter', async () => {
  const directory = await newDirectory();
  const lock = await lockDirectory(directory, Promise.resolve('url'));
  assert.equal((await stat(join(directory, 'lock'))).mode & 0o777, 0o700);
  const [socket = ''] = await readdir(join(directory, 'lock'));
  assert.ok((await stat(join(directory, 'lock', socket))).isSocket());
  await lock.release();
});

it('locks a directory whose path is longer than the path of a socket may be', async () => {
  const directory = join(scratch, 'x'.repeat(100), 'y'.repeat(100));
  await mkdir(directory, { recursive: true });
  const lock = await lockDirectory(directory, Promise.resolve('url'));
  await assert.rejects(lockDirectory(directory, Promise.resolve('')), { url: 'url' });
  await lock.release();
});
