import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likenessOf } from './likeness.ts';

test('relatives, parts of compounds and mistyped words are alike, and no more than the word itself', () => {
  for (const [a, b] of [
    ['independ', 'independent'],
    ['gebiet', 'staatsgebiet'],
    ['return', 'retrun'],
    ['lighthous', 'ligthous'],
    ['harbor', 'harbour'],
  ] as const) {
    assert.ok(likenessOf(a, b) >= 0.6 && likenessOf(a, b) < 1, `${a} ${b}`);
    assert.equal(likenessOf(a, b), likenessOf(b, a));
  }
  assert.equal(likenessOf('tea', 'tea'), 1);
});

test('strangers, short words and other numbers are not alike', () => {
  for (const [a, b] of [
    ['cat', 'car'],
    ['tea', 'team'],
    ['1887', '18871'],
    ['river', 'rival'],
    ['1887', '1888'],
  ] as const) {
    assert.equal(likenessOf(a, b), 0, `${a} ${b}`);
  }
});
