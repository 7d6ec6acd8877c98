import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendRefused } from '@parley/server/messaging-network';
import { NewChats, type NewChatsOptions } from './new-chats.ts';

const dayMs = 86_400_000;
const isRestricted = (error: unknown) => error instanceof SendRefused && error.reason === 'device_restricted';
const send = async () => undefined;

/** Keeps entries like the session state of a linked device. */
function createState(): NewChatsOptions['state'] {
  const entries = new Map<string, unknown>();
  return {
    linked: true,
    read: async (_kind, id) => entries.get(id),
    async write(written) {
      for (const { id, value } of written) entries.set(id, value);
    },
  };
}

const open = (state: NewChatsOptions['state']) =>
  NewChats.open({ state, perDay: [1, 2], fetchEnd: async () => null, report: async () => undefined });

test('counts the days of the warm-up from the link, also without a new chat on the first day', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const state = createState();
  await open(state);
  t.mock.timers.tick(dayMs);
  const onSecondDay = await open(state);
  await onSecondDay.start(send);
  await onSecondDay.start(send);
  await assert.rejects(onSecondDay.start(send), isRestricted);
  t.mock.timers.tick(dayMs);
  const later = await open(state);
  for (let n = 0; n < 5; n += 1) await later.start(send);
});
