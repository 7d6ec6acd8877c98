import assert from 'node:assert/strict';
import { test } from 'node:test';
import messages from './consent-messages.json' with { type: 'json' };
import { readConsentWord } from './consent-words.ts';

const leastRecall = 0.98;

test('recognizes opt-outs of every language of the replies, and no message that only looks like one', () => {
  const all = Object.values(messages);
  const out = all.flatMap((language) => language.out);
  const other = all.flatMap((language) => language.other);
  assert.ok(out.length >= 300 && other.length >= 300);
  assert.deepEqual(
    other.filter((text) => readConsentWord(text) !== null),
    [],
  );
  const missed = out.filter((text) => readConsentWord(text) !== 'out');
  assert.ok(missed.length <= out.length * (1 - leastRecall), `missed ${missed.join(', ')}`);
});

test('understands a word whatever its case, accents, punctuation and repetition', () => {
  for (const text of [
    'ARRÊT',
    'arret',
    'Arrêt !!',
    '🛑 stop 🛑',
    'STOP STOP STOP',
    'stooooop',
    ' stop\n',
    '“Stop”',
  ])
    assert.equal(readConsentWord(text), 'out', text);
  for (const text of ['START', 'alta', 'anmelden', 'старт', '开始', 'ابدأ'])
    assert.equal(readConsentWord(text), 'in', text);
});

test('takes no long text, question or empty message for a decision', () => {
  for (const text of [
    '',
    ' ',
    '?',
    'stop?',
    '¿baja?',
    '停止？',
    'stop '.repeat(100),
    'x'.repeat(100_000),
    '!!!',
    '👍',
  ])
    assert.equal(readConsentWord(text), null, text.slice(0, 20));
});
