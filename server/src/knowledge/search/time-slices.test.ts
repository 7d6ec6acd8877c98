import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { createTimeSlicer } from './time-slices.ts';

/** A clock that advances by this many milliseconds on each read. */
function clockGoingOn(milliseconds: number): () => number {
  let time = 0;
  return () => {
    time += milliseconds;
    return time;
  };
}

/** Returns the events until the work and the event loop have each run ten iterations. */
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

test('yields between the slices of long work', async () => {
  const happened = await roundsOf([createTimeSlicer(clockGoingOn(10))()]);
  const lastOfLoop = happened.lastIndexOf('loop');
  assert.ok(
    happened.slice(0, lastOfLoop).filter((what) => what === 'work 0').length >= 8,
    happened.join(' '),
  );
  assert.doesNotMatch(happened.join(' '), /work 0 work 0 work 0/);
});

test('does not yield during short work', async () => {
  const happened = await roundsOf([createTimeSlicer(clockGoingOn(0.01))()]);
  assert.match(happened.join(' '), /(?:work 0 ?){9}/);
});

test('lets concurrent work share one slice per event loop iteration', async () => {
  const turns = createTimeSlicer(clockGoingOn(10));
  const happened = await roundsOf([turns(), turns(), turns()]);
  assert.doesNotMatch(happened.slice(0, happened.lastIndexOf('loop')).join(' '), /work \d work \d work \d/);
});

test('stops work whose signal has aborted', async () => {
  const leaving = new AbortController();
  const yieldControl = createTimeSlicer(clockGoingOn(10))(leaving.signal);
  const slice = yieldControl();
  leaving.abort(new Error('stop'));
  await assert.rejects(slice, /stop/);
});
