import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { getCannedReplies } from './canned-replies.ts';
import { detectHumanRequest } from './human-request.ts';
import { readReceipt, readReceiptDocument } from './payment-receipt.ts';
import { replyParts } from './reply-parts.ts';
import { getRetry } from './retry.ts';

test('detects requests for a person in seven languages', () => {
  const requests: [string, string][] = [
    ['Can I talk to a human?', 'en'],
    ['I want to SPEAK WITH a real person!!', 'en'],
    ['Please connect me to an agent', 'en'],
    ['human please', 'en'],
    ['I need a representative', 'en'],
    ['Quiero hablar con una persona', 'es'],
    ['¿Me puede comunicar con un asesor?', 'es'],
    ['quiero un agente', 'es'],
    ['Quero falar com um atendente', 'pt'],
    ['posso falar com alguém?', 'pt'],
    ['Ich möchte mit einem Menschen sprechen', 'de'],
    ['Kann ich mit einem Mitarbeiter reden?', 'de'],
    ['Je voudrais parler à un conseiller', 'fr'],
    ["J'aimerais parler avec une personne", 'fr'],
    ['Vorrei parlare con un operatore', 'it'],
    ['Kan ik met een medewerker spreken?', 'nl'],
  ];
  for (const [text, language] of requests) assert.equal(detectHumanRequest(text), language, text);
});

test('does not take a question about people for such a request', () => {
  const questions = [
    'How many persons fit in the boat?',
    'Is there a human rights museum?',
    'What does the travel agent cost?',
    '¿Cuántas personas caben?',
    'Quanto custa para uma pessoa?',
    'Was kostet es pro Person?',
    'Combien de personnes ?',
    'Quante persone?',
    'Hoeveel personen?',
    'Do you speak English?',
    `I would like to talk to a person. ${'x'.repeat(500)}`,
    '',
  ];
  for (const text of questions) assert.equal(detectHumanRequest(text), null, text);
});

test('every language has its own canned replies; others use English', () => {
  const texts = ['en', 'es', 'pt-BR', 'de', 'FR', 'it', 'nl-NL'].map(
    (locale) => getCannedReplies(locale).textOnly,
  );
  assert.equal(new Set(texts).size, texts.length);
  for (const locale of ['zh-CN', '', 'toString'])
    assert.deepEqual(getCannedReplies(locale), getCannedReplies('en'));
});

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

test('does not take prices or mentions of payment for a receipt', () => {
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

test('the parts of an answer hold all words in order and none exceeds a message', () => {
  const paragraph = fc.stringMatching(/^[a-zé😀 ]{0,60}$/u);
  const text = fc
    .array(paragraph, { maxLength: 30, size: 'max' })
    .map((paragraphs) => paragraphs.join('\n\n'));
  const words = (texts: string[]) => texts.join(' ').split(/\s+/).filter(Boolean);
  fc.assert(
    fc.property(text, fc.boolean(), (answer, breakLines) => {
      const parts = replyParts(answer, breakLines);
      assert.deepEqual(words(parts), words([answer]));
      assert.ok(parts.length <= 10);
    }),
  );
  const long = replyParts('word '.repeat(3000), false);
  assert.deepEqual(words(long), words(['word '.repeat(3000)]));
  assert.ok(long.length > 1 && long.every((part) => [...part].length <= 4096));
  assert.deepEqual(
    replyParts('😀'.repeat(5000), true).map((part) => [...part].length),
    [4096, 904],
  );
});

test('retry delays grow to ten minutes, have jitter and respect the provider', () => {
  const least = () => 0;
  const most = () => 1;
  assert.deepEqual(getRetry(1, null, least), { seconds: 1, flag: null });
  assert.deepEqual(getRetry(1, null, most), { seconds: 2, flag: null });
  assert.deepEqual(getRetry(5, null, most), { seconds: 32, flag: 'provider_failed' });
  assert.equal(getRetry(30, null, most)?.seconds, 600);
  assert.equal(getRetry(1, 30, most)?.seconds, 30);
  assert.equal(getRetry(1, 1e9, most)?.seconds, 600);
  assert.equal(getRetry(40, null), null);
});
