import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, type Ledger } from '../ledger.ts';
import type { DeliveredCopy } from './network-journal.ts';
import { checkAnswers, checkCopies, checkDeliveryStatuses } from './phones.ts';

const [phone, contact] = ['+15550001', '+15560001'];

/** Deliveries in order, each with its own id unless one is given. */
const sent = (...texts: (string | { text: string; id: string })[]): DeliveredCopy[] =>
  texts.map((given, index) => ({
    ...(typeof given === 'string' ? { text: given, id: `N${index}` } : given),
    from: phone,
    to: contact,
    session: 's',
    at: index,
  }));

const wrote = (...texts: string[]): Ledger => ({
  ...emptyLedger(),
  inbound: texts.map((text) => ({ teamId: 't', contact, phone, text, id: `IN${text}`, writtenAt: 10 })),
});

/** A database that returns these rows. */
const rows = (given: object[]) => ({ query: async <Row>() => given as Row[] });

const answers = (deliveries: DeliveredCopy[], ledger: Ledger, explanations: object[] = []) =>
  checkAnswers({ deliveries }, ledger, rows(explanations));

test('accepts an answer to each message in order, together or in parts', async () => {
  const apart = sent('Re a', 'Version 1 to a', 'Re b c\n\nVersion 1 to b', { text: 'Re a', id: 'N0' });
  assert.deepEqual(await answers(apart, wrote('a', 'b', 'c')), []);
});

test('reports an unanswered message unless its reply is unknown', async () => {
  const [wrong] = await answers([], wrote('a'), [{ id: 'INa', why: 'received' }]);
  assert.equal(wrong, '"a" was not answered: received');
  assert.deepEqual(await answers([], wrote('a'), [{ id: 'INa', why: 'answered, reply unknown' }]), []);
});

for (const { what, deliveries, inbound } of [
  { what: 'answered twice', deliveries: sent('Re a', 'Re a b'), inbound: ['a', 'b'] },
  { what: 'answered out of order', deliveries: sent('Re b', 'Re a'), inbound: ['a', 'b'] },
  {
    what: 'answered in the wrong order of parts',
    deliveries: sent('Version 1 to a', 'Re a'),
    inbound: ['a'],
  },
]) {
  test(`reports a message ${what}`, async () => {
    assert.equal((await answers(deliveries, wrote(...inbound))).length, 1);
  });
}

test('reports an answer from an older version than the published one', async () => {
  const ledger = wrote('a');
  const deliveries = sent('Re a\n\nVersion 1 to a');
  const published = (answeredAt: number) =>
    answers(deliveries, { ...ledger, publishes: [{ teamId: 't', version: 2, answeredAt }] });
  assert.equal((await published(9)).length, 1);
  assert.deepEqual(await published(11), []);
});

test('reports a text with two ids, and more copies than attempts or than four', async () => {
  const copies = (deliveries: DeliveredCopy[], attempts: number) =>
    checkCopies({ deliveries }, rows([{ network_id: 'N', attempts }]));
  const times = (count: number) => sent(...Array.from({ length: count }, () => ({ text: 'x', id: 'N' })));
  assert.deepEqual(await copies(times(2), 2), []);
  assert.equal((await copies(times(2), 1)).length, 1);
  assert.equal((await copies(times(5), 5)).length, 1);
  const twoIds = sent({ text: 'x', id: 'N' }, { text: 'x', id: 'M' });
  assert.ok((await copies(twoIds, 1)).some((wrong) => wrong.includes('2 network ids')));
});

test('reports a sent message that is missing and a refused one that arrived', async () => {
  const outcome = (deliveries: DeliveredCopy[], status: string) =>
    checkDeliveryStatuses({ deliveries }, rows([{ network_id: 'N', text: 'x', status }]));
  const arrived = sent({ text: 'x', id: 'N' });
  for (const status of ['sent', 'delivered', 'read']) {
    assert.deepEqual(await outcome(arrived, status), []);
    assert.equal((await outcome([], status)).length, 1);
  }
  assert.equal((await outcome(arrived, 'refused')).length, 1);
  for (const status of ['refused', 'unknown']) assert.deepEqual(await outcome([], status), []);
  assert.deepEqual(await outcome(arrived, 'unknown'), []);
});
