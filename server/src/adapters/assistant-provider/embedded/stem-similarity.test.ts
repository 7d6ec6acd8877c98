import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemSimilarity } from './stem-similarity.ts';

test('relatives, parts of compounds and mistyped words are alike, and no more than the word itself', () => {
  for (const [a, b] of [
    ['independ', 'independent'],
    ['gebiet', 'staatsgebiet'],
    ['return', 'retrun'],
    ['lighthous', 'ligthous'],
    ['harbor', 'harbour'],
  ] as const) {
    assert.ok(stemSimilarity(a, b) >= 0.6 && stemSimilarity(a, b) < 1, `${a} ${b}`);
    assert.equal(stemSimilarity(a, b), stemSimilarity(b, a));
  }
  assert.equal(stemSimilarity('tea', 'tea'), 1);
});

test('strangers, short words and other numbers are not alike', () => {
  for (const [a, b] of [
    ['cat', 'car'],
    ['tea', 'team'],
    ['1887', '18871'],
    ['river', 'rival'],
    ['1887', '1888'],
  ] as const) {
    assert.equal(stemSimilarity(a, b), 0, `${a} ${b}`);
  }
});
