import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { createTimeSlicer } from './time-slices.ts';

/** A clock that goes on by so many milliseconds each time it is looked at. */
function clockGoingOn(milliseconds: number): () => number {
  let time = 0;
  return () => {
    time += milliseconds;
    return time;
  };
}

/** What has happened when the work and the event loop have each come to their tenth round. */
async function roundsOf(works: readonly (() => Promise<void>)[]): Promise<string[]> {
  const happened: string[] = [];
  const loop = async () => {
    for (let round = 0; round < 10; round += 1) {
      await othersTurn();
      happened.push('loop');
    }
  };
  const working = works.map(async (yieldControl, index) => {
    for (let round = 0; round < 10; round += 1) {
      await yieldControl();
      happened.push(`work ${index}`);
    }
  });
  await Promise.all([loop(), ...working]);
  return happened;
}

test('work that takes long gives way between its slices', async () => {
  const happened = await roundsOf([createTimeSlicer(clockGoingOn(10))()]);
  const lastOfLoop = happened.lastIndexOf('loop');
  assert.ok(
    happened.slice(0, lastOfLoop).filter((what) => what === 'work 0').length >= 8,
    happened.join(' '),
  );
  assert.doesNotMatch(happened.join(' '), /work 0 work 0 work 0/);
});

test('short work goes on without a pause', async () => {
  const happened = await roundsOf([createTimeSlicer(clockGoingOn(0.01))()]);
  assert.match(happened.join(' '), /(?:work 0 ?){9}/);
});

test('several works together take one slice between two turns of the others', async () => {
  const turns = createTimeSlicer(clockGoingOn(10));
  const happened = await roundsOf([turns(), turns(), turns()]);
  assert.doesNotMatch(happened.slice(0, happened.lastIndexOf('loop')).join(' '), /work \d work \d work \d/);
});

test('work whose signal has aborted goes no further', async () => {
  const leaving = new AbortController();
  const yieldControl = createTimeSlicer(clockGoingOn(10))(leaving.signal);
  const slice = yieldControl();
  leaving.abort(new Error('stop'));
  await assert.rejects(slice, /stop/);
});
