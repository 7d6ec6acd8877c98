import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FloorOutcome } from './rig/outcome.ts';

const bench = fileURLToPath(new URL('bench.ts', import.meta.url));

test('a quick run measures an operation and its floor and stores the results', async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'parley-bench-test-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const args = [bench, '--quick', '--rows', 'create-team', '--name', 'quick', '--out', out];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /\| POST \/teams \| \d+\.\d\d \| >= 0\.60 \|/);
  assert.ok((await readFile(join(out, 'quick.md'), 'utf8')).includes('POST /teams'));
  const { outcomes } = JSON.parse(await readFile(join(out, 'quick.json'), 'utf8')) as {
    outcomes: FloorOutcome[];
  };
  const [outcome] = outcomes;
  assert.ok(outcome);
  assert.ok(outcome.medians.ratio > 0);
  // The floor has five statements: begin, three inserts, commit.
  assert.equal(outcome.statements.floor, 5);
  assert.ok(outcome.statements.parley <= 6, `${outcome.statements.parley} statements`);
});
