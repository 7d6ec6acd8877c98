import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemSimilarity } from './stem-similarity.ts';

test('scores related, compound and misspelled words below equal ones', () => {
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

test('scores unrelated words, short words and different numbers as 0', () => {
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
