import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { residentBytes } from '../../../bench/rig/resident-memory.ts';
import { eventually } from '../eventually.ts';
import { createDeployment } from './deployment.ts';

const skip = process.platform === 'linux' ? false : 'reads the memory of a process from /proc';

/** The goal of `bench/rows/memory.ts` is lower. This also holds on a busy machine, and without the limits it does not. */
const mostMB = 215;

test(`an idle process with all roles takes at most ${mostMB} MB`, { skip }, async () => {
  const deployment = await createDeployment();
  // The first start compiles the sources, later ones read them compiled.
  await (await deployment.start()).stop();
  const { child } = await deployment.start();
  const pid = child.pid ?? 0;
  // It restarts in place, because these limits apply only from the beginning of a process.
  assert.match(await readFile(`/proc/${pid}/cmdline`, 'utf8'), /--max-semi-space-size=8/);
  assert.match(await readFile(`/proc/${pid}/environ`, 'latin1'), /MALLOC_ARENA_MAX=2/);
  await eventually(async () => {
    const megabytes = (await residentBytes(pid)) / 1e6;
    assert.ok(megabytes <= mostMB, `${megabytes.toFixed(1)} MB`);
  }, 30_000);
});
