import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from './cases.schemas.ts';
import { type Observed, runCheck } from './checks.ts';
import { maskPersonalData } from './mask.ts';

const documentId = '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c06';
const observed: Observed = {
  text: 'A tandem costs 40 euros a day, helmets included.',
  answered: true,
  handsOver: false,
  asksBack: false,
  language: 'en',
  pairs: ['How much is a tandem?'],
  documentIds: [documentId],
  calls: [{ name: 'Order status', arguments: { order: 'A-17', urgent: true }, recorded: true }],
  cost: 0.02,
  ms: 120,
};

/** Each kind with checks that hold, and checks that do not. */
const kinds: Record<Exclude<Check['kind'], 'judge'>, [holds: Partial<Check>[], fails: Partial<Check>[]]> = {
  contains: [
    [{ text: '40 EUROS' }, { text: 'helmets — included' }],
    [{ text: '4' }, { text: 'four' }],
  ],
  lacks: [
    [{ text: '30 euros' }, { text: 'euro' }],
    [{ text: '40 euros' }, { text: 'helmets' }],
  ],
  cites_pair: [[{ question: 'how much is a tandem' }], [{ question: 'How much is a bike?' }]],
  cites_document: [
    [{ document_id: documentId.toUpperCase() }],
    [{ document_id: documentId.replace(/6$/, '7') }],
  ],
  calls_action: [
    [{ name: 'Order status' }, { name: 'Order status', arguments: { order: 'a-17', urgent: true } }],
    [
      { name: 'Refund' },
      { name: 'Order status', arguments: { order: 'A-18' } },
      { name: 'Order status', arguments: { at: 1 } },
    ],
  ],
  calls_none: [[], [{}]],
  hands_over: [[], [{}]],
  silent: [[], [{}]],
  asks_back: [[], [{}]],
  language: [[{ language: 'en' }], [{ language: 'de' }]],
  max_cost: [[{ value: 0.02 }], [{ value: 0.019 }]],
  max_ms: [[{ value: 120 }], [{ value: 119 }]],
};

test('each kind of check holds and fails as it says', () => {
  for (const [name, [holding, failing]] of Object.entries(kinds)) {
    const kind = name as Check['kind'];
    for (const check of holding)
      assert.deepEqual(runCheck({ ...check, kind }, observed), { kind, passed: true, because: null });
    for (const check of failing) {
      const { passed, because } = runCheck({ ...check, kind }, observed);
      assert.deepEqual([passed, typeof because], [false, 'string'], `${kind} ${JSON.stringify(check)}`);
    }
  }
  const other: Observed = { ...observed, text: '', calls: [], handsOver: true, asksBack: true, cost: null };
  for (const kind of ['calls_none', 'hands_over', 'silent', 'asks_back'] as const)
    assert.equal(runCheck({ kind }, other).passed, true, kind);
  assert.equal(runCheck({ kind: 'max_cost', value: 1 }, other).passed, false);
});

test('replaces numbers and addresses of people, and nothing else', () => {
  const masked = {
    'Call +49 (151) 123-45678 or write to ines.costa@example.org!':
      'Call +00 (000) 000-00000 or write to name@example.com!',
    'My IBAN is DE89370400440532013000': 'My IBAN is DE00000000000000000000',
    'card 4111 1111 1111 1111': 'card 0000 0000 0000 0000',
    'On 2026-11-28 10:30 for 4 people, 1,250.50 euros': 'On 2026-11-28 10:30 for 4 people, 1,250.50 euros',
    'order A-4711, room 12': 'order A-4711, room 12',
    '🙂 24.12.2026 18:00': '🙂 24.12.2026 18:00',
  };
  for (const [text, expected] of Object.entries(masked)) assert.equal(maskPersonalData(text), expected);
  const long = '1'.repeat(100_000) + 'a'.repeat(100_000);
  assert.ok(maskPersonalData(long).length === long.length);
});
