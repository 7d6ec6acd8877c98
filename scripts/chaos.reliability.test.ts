import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../server/test/eventually.ts';

test('ends all processes and PostgreSQL on SIGTERM and reports it in one line', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-stop-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const script = fileURLToPath(new URL('./chaos.ts', import.meta.url));
  const run = spawn(process.execPath, [script, '--seeds', '1..1'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => run.kill('SIGKILL'));
  const stderr = text(run.stderr);
  const ended = once(run, 'exit');
  const postmaster = await eventually(async () => {
    assert.equal(globSync('parley-chaos-*/worker_2.log', { cwd: folder }).length, 1);
    const [lock = ''] = globSync('parley-scratch-*/**/postmaster.pid', { cwd: folder });
    return Number(readFileSync(join(folder, lock), 'utf8').split('\n')[0]);
  }, 60_000);
  run.kill('SIGTERM');
  assert.deepEqual(await ended, [143, null]);
  assert.equal(await stderr, 'interrupted by SIGTERM; all processes have ended\n');
  assert.throws(() => process.kill(postmaster, 0), { code: 'ESRCH' });
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('parley-')),
    [],
  );
});
