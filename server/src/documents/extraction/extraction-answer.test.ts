import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveText } from './extraction-answer.ts';

test('a process that sends one empty portion after the other is not listened to for ever', async () => {
  const endless = async function* () {
    for (let sent = 0; sent < 100_000; sent += 1) yield Buffer.from('[]');
    throw new Error('nobody has stopped listening');
  };
  await assert.rejects(receiveText(endless()), { reason: 'too_large' });
});
