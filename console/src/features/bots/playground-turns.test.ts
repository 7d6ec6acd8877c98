import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf, type Turn } from './playground-turns.ts';

const turnOf = (id: number, question: string, answer: string | null): Turn => ({
  id,
  question,
  version: 'draft',
  answer:
    answer === null
      ? null
      : {
          answer,
          answered: true,
          trace: {
            passages: [],
            actions: [],
            elapsed_ms: 0,
            usage: { input_tokens: 0, output_tokens: 0, credits: 1, cost: 0 },
          },
        },
});

test('sends no more of a chat than the API accepts', () => {
  const bike = '🚲';
  assert.deepEqual(historyOf([turnOf(1, 'Open?', bike.repeat(5_000)), turnOf(2, 'Really?', null)]), [
    { role: 'contact', text: 'Open?' },
    { role: 'assistant', text: bike.repeat(4_096) },
    { role: 'contact', text: 'Really?' },
  ]);
  const long = Array.from({ length: 40 }, (_, position) => turnOf(position, `Question ${position}`, 'Yes.'));
  const history = historyOf(long);
  assert.equal(history.length, 50);
  assert.equal(history[0]?.text, 'Question 15');
});
