import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultPoints, killMessage, parseArmedFaultPoints } from './fault-points.ts';

const sources = join(import.meta.dirname, '../..');

test('the code reaches every fault point in exactly one place', () => {
  const code = globSync('**/*.ts', { cwd: sources })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${sources}/${path}`, 'utf8'))
    .join('\n');
  const reached = [...code.matchAll(/\bfaultPoint\(\s*'([^']+)'\s*\)/g)].map(([, point]) => point);
  assert.deepEqual(reached.sort(), [...faultPoints].sort());
});

test('the table describes every fault point once', () => {
  const table = readFileSync(`${sources}/../../docs/fault-points.md`, 'utf8');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    cells.map(([, point]) => point?.replaceAll('`', '')),
    [...faultPoints],
  );
  for (const [, point, before, missing, healer] of cells) {
    for (const cell of [before, missing, healer]) assert.ok((cell ?? '').length > 5, `${point}: ${cell}`);
  }
});

test('parses names and, after an @, the number of the hit', () => {
  assert.deepEqual(parseArmedFaultPoints('outbox.after_wire'), [
    { point: 'outbox.after_wire', hit: 1, signal: 'SIGKILL' },
  ]);
  assert.deepEqual(parseArmedFaultPoints('outbox.after_wire@12:SIGTERM,lease.after_begin'), [
    { point: 'outbox.after_wire', hit: 12, signal: 'SIGTERM' },
    { point: 'lease.after_begin', hit: 1, signal: 'SIGKILL' },
  ]);
  for (const wrong of [
    'outbox',
    'outbox.after_wire@',
    'outbox.after_wire@0',
    'outbox.after_wire@1@2',
    'outbox.after_wire:SIGINT',
    '',
  ]) {
    assert.throws(() => parseArmedFaultPoints(wrong), /docs\/fault-points\.md/, wrong);
  }
});

test('kills the process at the first armed point that reaches its hit, and names the point', () => {
  const script = `
    import { writeSync } from 'node:fs';
    import { armFaultPoints, faultPoint, parseArmedFaultPoints } from ${JSON.stringify(new URL('./fault-points.ts', import.meta.url).href)};
    armFaultPoints(parseArmedFaultPoints('outbox.after_wire,send.after_accept@2'));
    for (const point of ['send.after_accept', 'outbox.after_claim', 'send.after_accept', 'outbox.after_wire']) {
      writeSync(1, point + '\\n');
      faultPoint(point);
    }`;
  const { signal, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(signal, 'SIGKILL');
  assert.equal(String(stdout), 'send.after_accept\noutbox.after_claim\nsend.after_accept\n');
  assert.equal(String(stderr), `${killMessage}send.after_accept\n`);
});

test('sends SIGTERM once and goes on', () => {
  const script = `
    import { once } from 'node:events';
    import { armFaultPoints, faultPoint, parseArmedFaultPoints } from ${JSON.stringify(new URL('./fault-points.ts', import.meta.url).href)};
    armFaultPoints(parseArmedFaultPoints('outbox.after_wire:SIGTERM'));
    const running = setInterval(() => undefined, 1000);
    let signals = 0;
    process.on('SIGTERM', () => { signals += 1; });
    const received = once(process, 'SIGTERM');
    faultPoint('outbox.after_wire');
    faultPoint('outbox.after_wire');
    await received;
    await new Promise(setImmediate);
    clearInterval(running);
    console.log(signals);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
  assert.deepEqual([status, String(stdout)], [0, '1\n']);
});
