import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../platform/shared/ids.ts';
import { exportToJson } from './contacts.routes.ts';

const created = { created_at: '2026-11-23T09:30:00.000Z' };
const message = (text: string) => ({
  id: newId(),
  team_id: newId(),
  device_id: newId(),
  direction: 'in' as const,
  origin: 'contact',
  kind: 'text',
  text,
  status: 'answered',
  sent_at: null,
  ...created,
  media: [],
});

for (const [name, texts] of [
  ['without messages', []],
  ['with two messages', ['When do you "open"?', 'é'.repeat(100_000)]],
] as const) {
  test(`writes an export ${name}, and each message by itself`, () => {
    const exported = {
      contact_number: '+15550123',
      complete: true,
      known: [],
      notes: [],
      tester_of: [],
      consents: [],
      conversations: [],
      messages: texts.map(message),
      answers: [
        {
          id: newId(),
          bot_id: newId(),
          answered: true,
          rating: null,
          contact_rating: null,
          trace: { pair: null },
          ...created,
        },
      ],
    };
    const pieces = [...exportToJson(exported)];
    assert.deepEqual(JSON.parse(pieces.join('')), { success: true, data: exported });
    for (const { id } of exported.messages)
      assert.equal(pieces.filter((piece) => piece.includes(id) && piece.endsWith('}')).length, 1);
  });
}
