import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FigureOutcome, FloorOutcome } from './rig/outcome.ts';

const bench = fileURLToPath(new URL('bench.ts', import.meta.url));

/** Runs one row once. Returns the table and the directory of the results. */
async function runQuickly(t: TestContext, row: string): Promise<{ stdout: string; out: string }> {
  const out = await mkdtemp(join(tmpdir(), 'parley-bench-test-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const args = [bench, '--quick', '--rows', row, '--name', 'quick', '--out', out];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return { stdout, out };
}

test('a quick run measures an operation and its floor and stores the results', async (t) => {
  const { stdout, out } = await runQuickly(t, 'create-team');
  assert.match(stdout, /\| POST \/teams \| \d+\.\d\d \| >= 0\.85 \|/);
  assert.ok((await readFile(join(out, 'quick.md'), 'utf8')).includes('POST /teams'));
  const { outcomes } = JSON.parse(await readFile(join(out, 'quick.json'), 'utf8')) as {
    outcomes: FloorOutcome[];
  };
  const [outcome] = outcomes;
  assert.ok(outcome);
  assert.ok(outcome.medians.ratio > 0);
  // The floor has five statements: begin, three inserts, commit. What the service does meanwhile counts, too.
  assert.equal(Math.round(outcome.statements.floor), 5);
  // Without an Idempotency-Key, Parley's one statement is a transaction by itself.
  assert.ok(outcome.statements.parley <= 3, `${outcome.statements.parley} statements`);
});

test('the row of the hostile teams compares honest operations at rest and under attack', async (t) => {
  const { stdout, out } = await runQuickly(t, 'fair-teams');
  assert.match(stdout, /answer, p99 under attack/);
  const { outcomes } = JSON.parse(await readFile(join(out, 'quick.json'), 'utf8')) as {
    outcomes: FigureOutcome[];
  };
  const figures = outcomes.flatMap((outcome) => outcome.figures);
  assert.equal(figures.length, 10);
  for (const { figure, value } of figures) assert.ok(value > 0, figure);
  for (const { figure, goal } of figures)
    assert.equal(goal !== undefined, /under attack$|of the planned$/.test(figure), figure);
});
