import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, type Ledger } from '../ledger.ts';
import type { DeliveredCopy } from './network-journal.ts';
import { checkAnswers, checkCopies, checkDeliveryStatuses } from './phones.ts';

const [phone, contact] = ['+15550001', '+15560001'];

/** Handed off one after the other, each under an id of its own unless it is given one. */
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

/** What the database says of each network id, or of each message that came in. */
const rows = (given: object[]) => ({ ask: async <Row>() => given as Row[] });

const answers = (handedOff: DeliveredCopy[], ledger: Ledger, explanations: object[] = []) =>
  checkAnswers({ handedOff }, ledger, rows(explanations));

test('an answer to each, in order, together or apart, is right', async () => {
  const apart = sent('Re a', 'Edition 1 to a', 'Re b c\n\nEdition 1 to b', { text: 'Re a', id: 'N0' });
  assert.deepEqual(await answers(apart, wrote('a', 'b', 'c')), []);
});

test('what was not answered is wrong, unless its answer rests as unknown', async () => {
  const [wrong] = await answers([], wrote('a'), [{ id: 'INa', why: 'received' }]);
  assert.equal(wrong, '"a" was not answered: received');
  assert.deepEqual(await answers([], wrote('a'), [{ id: 'INa', why: 'answered, reply unknown' }]), []);
});

for (const { what, handedOff, inbound } of [
  { what: 'answered twice', handedOff: sent('Re a', 'Re a b'), inbound: ['a', 'b'] },
  { what: 'answered out of order', handedOff: sent('Re b', 'Re a'), inbound: ['a', 'b'] },
  { what: 'answered in the wrong order of parts', handedOff: sent('Edition 1 to a', 'Re a'), inbound: ['a'] },
]) {
  test(`what was ${what} is wrong`, async () => {
    assert.equal((await answers(handedOff, wrote(...inbound))).length, 1);
  });
}

test('an answer by an older edition than was published before the question is wrong', async () => {
  const ledger = wrote('a');
  const handedOff = sent('Re a\n\nEdition 1 to a');
  const published = (answeredAt: number) =>
    answers(handedOff, { ...ledger, publishes: [{ teamId: 't', edition: 2, answeredAt }] });
  assert.equal((await published(9)).length, 1);
  assert.deepEqual(await published(11), []);
});

test('a text under two ids is wrong, and so are more copies than there were attempts, or than four', async () => {
  const copies = (handedOff: DeliveredCopy[], attempts: number) =>
    checkCopies({ handedOff }, rows([{ network_id: 'N', attempts }]));
  const times = (count: number) => sent(...Array.from({ length: count }, () => ({ text: 'x', id: 'N' })));
  assert.deepEqual(await copies(times(2), 2), []);
  assert.equal((await copies(times(2), 1)).length, 1);
  assert.equal((await copies(times(5), 5)).length, 1);
  const twoIds = sent({ text: 'x', id: 'N' }, { text: 'x', id: 'M' });
  assert.ok((await copies(twoIds, 1)).some((wrong) => wrong.includes('2 network ids')));
});

test('what is called sent and did not arrive is wrong, and so is what arrived and was given back', async () => {
  const outcome = (handedOff: DeliveredCopy[], status: string) =>
    checkDeliveryStatuses({ handedOff }, rows([{ network_id: 'N', text: 'x', status }]));
  const arrived = sent({ text: 'x', id: 'N' });
  for (const status of ['sent', 'delivered', 'read']) {
    assert.deepEqual(await outcome(arrived, status), []);
    assert.equal((await outcome([], status)).length, 1);
  }
  assert.equal((await outcome(arrived, 'refused')).length, 1);
  for (const status of ['refused', 'unknown']) assert.deepEqual(await outcome([], status), []);
  assert.deepEqual(await outcome(arrived, 'unknown'), []);
});
