import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, parseModelPrices } from './model-prices.ts';

test('reads prices per million tokens', () => {
  const prices = parseModelPrices('small=0.15/0.6/0.075, a/b:c=2/10,x=1=0/0,');
  assert.deepEqual(Object.fromEntries(prices), {
    small: { input: 0.15, output: 0.6, cached: 0.075 },
    'a/b:c': { input: 2, output: 10, cached: 2 },
    'x=1': { input: 0, output: 0, cached: 0 },
  });
  assert.equal(parseModelPrices('').size, 0);
});

test('rejects prices that are no prices, and names the wrong part', () => {
  for (const wrong of [
    'small',
    'small=1',
    'small=1/x',
    'small=-1/2',
    'small=1/2/3/4',
    'small=1e3/2',
    'small=1000000/2',
    'small=1/0.0000001',
    '=1/2',
    'two words=1/2',
    `${'m'.repeat(201)}=1/2`,
  ]) {
    assert.throws(() => parseModelPrices(`other=1/2,${wrong}`), {
      message: new RegExp(`^${wrong} must be like`),
    });
  }
  assert.throws(() => parseModelPrices('small=1/2,small=1/3'), /names small twice/);
  const many = Array.from({ length: 101 }, (_, n) => `m${n}=1/2`);
  assert.throws(() => parseModelPrices(many.join(',')), /at most 100 models/);
});

test('charges cached tokens at their own price', () => {
  const price = { input: 2, output: 10, cached: 0.5 };
  const tokens = { input: 1000, cached: 600, output: 100, reasoning: 50 };
  assert.equal(costOf(tokens, price), (400 * 2 + 600 * 0.5 + 100 * 10) / 1e6);
  assert.equal(costOf({ ...tokens, cached: null }, price), 0.003);
  assert.equal(costOf({ ...tokens, cached: 2000 }, price), (1000 * 0.5 + 100 * 10) / 1e6);
});

test('knows no cost without a price, the input tokens or the output tokens', () => {
  const price = { input: 2, output: 10, cached: 2 };
  const tokens = { input: 1000, cached: null, output: 100, reasoning: null };
  assert.equal(costOf(tokens, undefined), null);
  assert.equal(costOf(null, price), null);
  assert.equal(costOf({ ...tokens, input: null }, price), null);
  assert.equal(costOf({ ...tokens, output: null }, price), null);
});
