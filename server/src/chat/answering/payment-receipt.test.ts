import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt, readReceiptDocument } from './inbound-content.ts';

test('reads amount, date and payer of receipts', () => {
  assert.deepEqual(readReceipt('Payment receipt\nFrom: Ana Silva\nAmount: € 1.250,00\nDate: 12/11/2026'), {
    amount: '€ 1.250,00',
    date: '12/11/2026',
    payer: 'Ana Silva',
  });
  assert.deepEqual(readReceipt('Comprovante Pix\nValor R$ 45,90\nPagador: José\n3 de novembro de 2026'), {
    amount: 'R$ 45,90',
    date: '3 de novembro de 2026',
    payer: 'José',
  });
  assert.deepEqual(readReceipt('Überweisung über 99,00 EUR ausgeführt'), {
    amount: '99,00 EUR',
    date: null,
    payer: null,
  });
});

test('reads the payer of a document whose lines are one paragraph', () => {
  const payers = [
    'Payment receipt From: Ana Silva Amount: € 40.00 Date: 2026-11-12',
    'Payment receipt Amount: € 40.00 From: Ana Silva 2026-11-12',
    'Payment receipt From: Ana Silva € 40.00',
    'Payment receipt Amount: € 40.00 From: Ana Silva Paid on: 2026-11-12',
  ].map((text) => readReceipt(text)?.payer);
  assert.deepEqual(payers, ['Ana Silva', 'Ana Silva', 'Ana Silva', 'Ana Silva']);
});

test('does not detect a receipt in prices or mentions of payment', () => {
  for (const text of ['Bicycles from €12 a day', 'How can I make a payment?', 'photo.jpg', '']) {
    assert.equal(readReceipt(text), null, text);
  }
});

test('bounds the figures and gaps of a receipt', () => {
  const figures = readReceipt(`Payment receipt 5${' 111'.repeat(3_000)} EUR`);
  assert.ok((figures?.amount.length ?? 0) < 40, `${figures?.amount.length} characters`);
  const gap = readReceipt(`Payment receipt\nFrom:${'\t'.repeat(10_000)}Ana\nAmount: € 5`);
  assert.deepEqual(gap, { amount: '€ 5', date: null, payer: null });
});

test('reads only the beginning of a long document', () => {
  let made = 0;
  function* sections() {
    for (made = 1; made <= 1000; made += 1) {
      const text = made === 1 ? 'Amount: €40.00' : 'x'.repeat(9_000);
      yield { page: made, heading: made === 1 ? 'Payment receipt' : null, text };
    }
  }
  assert.deepEqual(readReceiptDocument(sections()), { amount: '€40.00', date: null, payer: null });
  assert.equal(made, 4);
});
