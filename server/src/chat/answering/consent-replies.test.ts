import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { newPhone } from '../../../test/devices.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createActionCaller } from './call-action.ts';
import { getCannedReplies } from './canned-replies.ts';

const app = await startTestApp();
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const chats = createChats({ ...app, bots: createTestBots(app.context), callAction });
chats.startAnswering();

const questions = [{ question: 'When do you open?', answer: 'We open at nine.' }];
const { optedOut, optedIn } = getCannedReplies('en');

test('confirms an opt-out and its end in the language of the contact, without a charge', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  await chats.write(desk, contact, 'STOP');
  assert.deepEqual(await chats.untilReplied(desk, contact), [optedOut]);
  await chats.write(desk, contact, 'start');
  assert.deepEqual(await chats.untilReplied(desk, contact, 2), [optedOut, optedIn]);
  assert.equal(await chats.creditsUsed(desk), 0);
  const other = newPhone();
  await chats.write(desk, other, '退订');
  assert.deepEqual(await chats.untilReplied(desk, other), [getCannedReplies('zh').optedOut]);
});

test('still answers what a contact who opted out asks', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  await chats.write(desk, contact, 'stop');
  await chats.untilReplied(desk, contact);
  await chats.write(desk, contact, 'When do you open?');
  assert.deepEqual(await chats.untilReplied(desk, contact, 2), [optedOut, 'We open at nine.']);
});

test('answers a word to begin like any message if the contact had not opted out', async () => {
  const [desk, contact] = [
    await chats.addDevice({ questions: [{ question: 'start', answer: 'Turn the key.' }] }),
    newPhone(),
  ];
  await chats.write(desk, contact, 'start');
  assert.deepEqual(await chats.untilReplied(desk, contact), ['Turn the key.']);
});
