import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeJapanesePdf } from '../../../../test/documents/make-pdf.ts';
import { eventually } from '../../../../test/eventually.ts';
import { startReader } from './readers.ts';

const process = startReader({ memoryMb: 512, maxInflatedBytes: 2 ** 26, processorMs: 20_000 });
after(() => process.end());

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('an idle process does not retain the previous text', async () => {
  const read = async () =>
    new WeakRef(await process.extract({ type: 'txt', bytes: Buffer.from('Hello, reader') }));
  const texts = [await read(), await read()];
  await eventually(async () => {
    await yieldToEventLoop();
    collectGarbage();
    assert.deepEqual(
      texts.map((text) => text.deref()),
      [undefined, undefined],
    );
  }, 2_000);
  assert.ok(process.reusable);
});

test('a process may read the data files of its libraries', async () => {
  const { sections } = await process.extract({ type: 'pdf', bytes: makeJapanesePdf() });
  assert.deepEqual([...sections], [{ page: 1, heading: null, text: '\u65e5\u672c\u8a9e' }]);
});
