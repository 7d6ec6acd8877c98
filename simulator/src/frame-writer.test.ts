import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FrameWriter } from './frame-writer.ts';

interface Frame {
  n: number;
  text: string;
}

function openWriter(): { writer: FrameWriter<Frame>; bundles: () => Frame[][]; lengths: () => number[] } {
  const sent: string[] = [];
  return {
    writer: new FrameWriter((bundle) => void sent.push(bundle)),
    bundles: () => sent.map((bundle) => JSON.parse(bundle)),
    lengths: () => sent.map(({ length }) => length),
  };
}

const frameNumbers = (bundles: readonly Frame[][]) => bundles.map((frames) => frames.map(({ n }) => n));

test('sends the frames of one event-loop turn in order as one bundle', async () => {
  const { writer, bundles } = openWriter();
  for (const n of [1, 2, 3]) writer.write({ n, text: 'a' });
  assert.deepEqual(bundles(), []);
  await setImmediate();
  writer.write({ n: 4, text: 'a' });
  await setImmediate();
  assert.deepEqual(frameNumbers(bundles()), [[1, 2, 3], [4]]);
});

test('limits the size of bundles, and sends a long frame alone', async () => {
  const { writer, bundles, lengths } = openWriter();
  const half = 'x'.repeat(600 * 1024);
  writer.write({ n: 1, text: half });
  writer.write({ n: 2, text: half });
  writer.write({ n: 3, text: half.repeat(4) });
  writer.write({ n: 4, text: '' });
  await setImmediate();
  assert.deepEqual(frameNumbers(bundles()), [[1], [2], [3], [4]]);
  assert.equal(lengths().filter((length) => length > 1024 * 1024 + 2).length, 1);
});

test('flushes pending frames once', async () => {
  const { writer, bundles } = openWriter();
  writer.write({ n: 1, text: '' });
  writer.flush();
  assert.deepEqual(frameNumbers(bundles()), [[1]]);
  await setImmediate();
  assert.deepEqual(frameNumbers(bundles()), [[1]]);
});
