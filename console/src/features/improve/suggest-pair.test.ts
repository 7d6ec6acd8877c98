import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageRecord } from '@parley/sdk';
import { suggestPair, withPair } from './suggest-pair.ts';

const message = (id: string, origin: MessageRecord['origin'], text: string): MessageRecord => ({
  id,
  origin,
  text,
  team_id: '',
  device_id: '',
  contact_number: '',
  kind: 'text',
  refunded: false,
  direction: origin === 'contact' ? 'in' : 'out',
  status: origin === 'contact' ? 'answered' : 'sent',
  created_at: '2026-11-23T09:30:00.412Z',
});

const thread = [
  message('1', 'contact', 'Hello'),
  message('2', 'bot', 'Good day!'),
  message('3', 'contact', 'I have a question.'),
  message('4', 'contact', 'Do you deliver to Madeira?'),
  message('5', 'bot', 'We open at nine.'),
  message('6', 'bot', 'See you!'),
  message('7', 'contact', 'No, Madeira!'),
  message('8', 'person', 'Yes, within a week.'),
  message('9', 'person', 'It costs 20 euros.'),
  message('10', 'contact', 'Thanks'),
];
const passage = { quote: 'Islands: one week.', score: 0.6 };
const trace = { passages: [passage], actions: [] };
const draft = [
  { question: 'When do you open?', answer: 'We open at nine.' },
  { question: 'do you deliver to madeira', answer: 'No.' },
];

test('suggests the question of the contact with the later reply of a person', () => {
  for (const id of ['5', '6', '4'])
    assert.deepEqual(
      suggestPair(thread, id, { trace }, []),
      {
        asked: 'I have a question.\nDo you deliver to Madeira?',
        existing: undefined,
        text: 'Yes, within a week.\nIt costs 20 euros.',
        source: 'person',
      },
      id,
    );
});

test('suggests a passage without a reply, and nothing without either', () => {
  const quoted = suggestPair(thread.slice(0, 6), '5', { trace }, []);
  assert.deepEqual([quoted.text, quoted.source], [passage.quote, 'passage']);
  const empty = suggestPair(thread.slice(0, 6), '5', { trace: { passages: [], actions: [] } }, []);
  assert.deepEqual([empty.text, empty.source], ['', null]);
});

test('finds the pair that answered, or the pair with the same question', () => {
  const answered = { trace: { ...trace, pair: { question: 'When do you open?', score: 0.7 } } };
  assert.equal(suggestPair(thread, '5', answered, draft).existing, draft[0]);
  assert.equal(suggestPair(thread.slice(3), '5', { trace }, draft).existing, draft[1]);
  assert.equal(suggestPair([], '5', answered, draft).asked, 'When do you open?');
});

test('replaces a pair in its place, or adds it', () => {
  const pair = { question: 'Madeira?', answer: 'Yes.' };
  assert.deepEqual(withPair(draft, 'When do you open?', pair), [pair, draft[1]]);
  assert.deepEqual(withPair(draft, undefined, pair), [...draft, pair]);
});
