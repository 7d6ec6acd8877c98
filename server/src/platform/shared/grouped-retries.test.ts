import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGroupedRetries } from './grouped-retries.ts';

test('runs at most two attempts of a group at once, and those of other groups beside them', async () => {
  const retries = createGroupedRetries();
  const gate = Promise.withResolvers<void>();
  const running = { locked: 0, other: 0 };
  const attempt = (group: 'locked' | 'other') =>
    retries.run(group, async () => {
      running[group] += 1;
      await gate.promise;
      return 'done';
    });
  const all = [...Array.from({ length: 10 }, () => attempt('locked')), attempt('other')];
  await nextTurn();
  assert.deepEqual(running, { locked: 2, other: 1 });
  gate.resolve();
  await Promise.all(all);
  assert.equal(running.locked, 10);
});

test('repeats an attempt until its rows are free, and reports the group as blocked until then', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const retries = createGroupedRetries();
  let attempts = 0;
  const done = retries.run('team', async () => {
    attempts += 1;
    return attempts < 4 ? null : 'written';
  });
  for (let turn = 0; turn < 3; turn += 1) {
    while (!retries.isBlocked('team')) await nextTurn();
    t.mock.timers.tick(1000);
    await nextTurn();
  }
  assert.equal(await done, 'written');
  assert.equal(attempts, 4);
  assert.equal(retries.isBlocked('team'), false);
});

test('rejects when the rows stay locked for 20 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const begun = performance.now();
  t.mock.method(performance, 'now', () => begun + attempts * 5000);
  let attempts = 0;
  const retries = createGroupedRetries();
  const failed = assert.rejects(
    retries.run('team', async () => {
      attempts += 1;
      return null;
    }),
    /another transaction holds the rows/,
  );
  while (attempts < 4) {
    await nextTurn();
    t.mock.timers.tick(1000);
  }
  await failed;
});
