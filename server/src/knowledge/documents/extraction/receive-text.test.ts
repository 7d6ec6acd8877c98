import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveText } from './extraction-process.ts';

test('limits the number of empty portions', async () => {
  const endless = async function* () {
    for (let sent = 0; sent < 100_000; sent += 1) yield Buffer.from('[]');
    throw new Error('all messages were read');
  };
  await assert.rejects(receiveText(endless()), { reason: 'too_large' });
});
