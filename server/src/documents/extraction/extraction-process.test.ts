import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../../../test/eventually.ts';
import { startReader } from './readers.ts';

const process = startReader({ memoryMb: 512, maxInflatedBytes: 2 ** 26, processorMs: 20_000 });
after(() => process.end());

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('a process that waits for its next document does not hold the text of the one before', async () => {
  const read = async () =>
    new WeakRef(await process.extract({ type: 'txt', bytes: Buffer.from('Hello, reader') }));
  const texts = [await read(), await read()];
  await eventually(async () => {
    await othersTurn();
    collectGarbage();
    assert.deepEqual(
      texts.map((text) => text.deref()),
      [undefined, undefined],
    );
  }, 2_000);
  assert.ok(process.alive);
});
