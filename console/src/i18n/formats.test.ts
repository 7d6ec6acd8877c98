import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFormats } from './formats.ts';

test('shows small numbers with digits, and large ones without losing any', () => {
  const { number } = createFormats('en');
  assert.deepEqual([0, 0.00045, 0.0123456, 1.23456, 12, 1_234_567.891].map(number), [
    '0',
    '0.00045',
    '0.0123',
    '1.235',
    '12',
    '1,234,567.891',
  ]);
  assert.equal(createFormats('de').number(0.00045), '0,00045');
});

test('names a month in the language, whatever the time zone', () => {
  assert.equal(createFormats('en').month('2026-11'), 'November 2026');
  assert.equal(createFormats('pt').month('2026-11'), 'novembro de 2026');
});
