import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fact, NetworkState } from './network-state.ts';

const at = '2026-11-23T09:30:00.000Z';
const [phone, banned, contact] = ['15550100', '15550101', '15550199'];
const inbound = (id: string): Fact => ({
  type: 'message',
  at,
  id,
  from: contact,
  to: phone,
  sender: null,
  content: { kind: 'text', text: id },
});

test('restores devices, deliveries and the newest messages from its facts', () => {
  const state = new NetworkState();
  const facts: Fact[] = [
    { type: 'linked', at, credential: 'one', phone },
    { type: 'linked', at, credential: 'gone', phone: banned },
    { type: 'unlinked', at, credential: 'gone' },
    { type: 'banned', at, phone: banned },
    ...Array.from({ length: 600 }, (_, n) => inbound(`message ${n}`)),
    ...Array.from(
      { length: 598 },
      (_, n): Fact => ({ type: 'received', credential: 'one', delivery: n + 1 }),
    ),
  ];
  for (const fact of facts) state.apply(fact);

  const restored = new NetworkState();
  for (const fact of state.facts()) restored.apply(JSON.parse(JSON.stringify(fact)));
  assert.deepEqual(restored.device('one'), state.device('one'));
  assert.deepEqual([...(restored.device('one')?.queue.keys() ?? [])], [599, 600]);
  assert.deepEqual(restored.linkedDevices(banned), []);
  assert.equal(restored.isBanned(banned), true);
  assert.deepEqual(restored.chat(phone, contact), state.chat(phone, contact).slice(-500));

  const isConfirmed = restored.confirmedIn(phone, contact);
  assert.deepEqual(
    restored.chat(phone, contact).flatMap((entry) => (isConfirmed(entry) ? [] : entry.id)),
    ['message 598', 'message 599'],
  );

  const [device] = restored.apply(inbound('message 600'));
  assert.equal(device?.nextDelivery, 602);
  assert.deepEqual(restored.apply(inbound('message 600')), [], 'a repeated id is not delivered again');
});
