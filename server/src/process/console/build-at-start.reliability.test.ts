import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startService } from '../../../../scripts/demo/service-process.ts';
import { createWorkingCopy } from '../../../../scripts/sabotage/working-copy.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';

/** Starts an installation whose console `npm ci` did not build, as with `--ignore-scripts`. */
async function startUnbuilt(change: (root: string) => Promise<void> = async () => undefined) {
  const copy = await createWorkingCopy(process.cwd());
  const folder = await mkdtemp(join(tmpdir(), 'parley-unbuilt-'));
  const database = await createTestDatabase();
  await rm(join(copy.root, 'console/dist'), { recursive: true, force: true });
  await change(copy.root);
  const log = join(folder, 'service.log');
  const service = await startService(
    {
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
    },
    log,
    { command: [process.execPath, join(copy.root, 'server/src/main.ts')] },
  );
  after(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await copy.remove();
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });
  const url = service.addresses.api ?? '';
  return { url, root: copy.root, read: () => fetch(`${url}/console`), log: () => readFile(log, 'utf8') };
}

test('the first start builds a missing console while the API already serves, and is ready afterwards', async (t) => {
  const { url, read, root } = await startUnbuilt();
  const startedAt = performance.now();
  assert.equal((await fetch(`${url}/api/openapi/v1/teams`)).status, 401);
  assert.equal((await read()).status, 503);
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  await eventually(async () => {
    const response = await read();
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<title>/);
  }, 120_000);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const { mode } = await stat(join(root, 'console/dist'));
  assert.equal(mode & 0o777, 0o755, 'the service may run under another account than npm ci');
  t.diagnostic(`the console was built after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
});

test('says what to do when the console cannot be built', async () => {
  const { read, log } = await startUnbuilt((root) => appendFile(join(root, 'console/vite.config.ts'), '\n}'));
  await eventually(
    async () => assert.match(await (await read()).text(), /The console is unavailable/),
    120_000,
  );
  // The log is written in batches.
  await eventually(async () =>
    assert.match(await log(), /the console could not be built; run `npm ci` and start again/),
  );
});

test('keeps the build that another process finished first, because its server reads it', async () => {
  const copy = await createWorkingCopy(process.cwd());
  after(() => copy.remove());
  const console = join(copy.root, 'console');
  const built = join(console, 'dist');
  await rm(built, { recursive: true, force: true });
  /** Starts a build and pauses it after it has begun. */
  const startPaused = async (folders: number) => {
    const build = spawn(process.execPath, [join(console, 'build.ts')], { stdio: 'inherit' });
    const ended = once(build, 'close');
    after(() => build.kill('SIGKILL'));
    await eventually(async () => {
      const begun = (await readdir(console)).filter((name) => name.startsWith('dist-'));
      assert.equal(begun.length, folders);
    }, 60_000);
    build.kill('SIGSTOP');
    return async () => {
      build.kill('SIGCONT');
      assert.deepEqual(await ended, [0, null]);
    };
  };
  const finishFirst = await startPaused(1);
  const finishSecond = await startPaused(2);
  await finishFirst();
  const { ino } = await stat(built);
  await finishSecond();
  assert.equal((await stat(built)).ino, ino);
  assert.deepEqual(
    (await readdir(console)).filter((name) => name.startsWith('dist-')),
    [],
  );
});
