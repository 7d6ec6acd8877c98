import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BotDraft } from './bot-draft.ts';
import { diffLines, findDifferences } from './differences.ts';

test('finds removed and added lines and leaves out common ones', () => {
  assert.deepEqual(diffLines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']), [
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'x' },
    { kind: 'added', text: 'e' },
  ]);
  assert.deepEqual(diffLines(['a'], ['a']), []);
  assert.deepEqual(diffLines([], ['a']), [{ kind: 'added', text: 'a' }]);
});

const draft: BotDraft = {
  name: 'Lumen',
  identification_name: '',
  description: '',
  instructions: 'Be brief.\nBe kind.',
  temperature: 1,
  chat_model_level: 1,
  allow_human: false,
  break_lines: false,
  use_audio_responses: false,
  allow_user_audio_requests: false,
  capture_payments: false,
  answer_max_age_minutes: null,
  questions: [{ question: 'Do you deliver?', answer: 'Yes.' }],
  actions: [
    {
      id: '1',
      name: 'Order',
      description: 'Looks up',
      endpoint: 'https://example.com/',
      method: 'GET',
      headers: [{ key: 'X-Key', value: 'old' }],
      body: [],
      parameters: [],
    },
  ],
  document_ids: ['one', 'two'],
};
const texts = {
  setting: (name: string, value: unknown) => `${name}=${value}`,
  document: (id: string) => `document ${id}`,
};

test('compares every part of a bot and leaves out equal ones', () => {
  assert.deepEqual(findDifferences(draft, { ...draft, document_ids: ['two', 'one'] }, texts), []);
  const [action] = draft.actions;
  assert.ok(action);
  const changed: BotDraft = {
    ...draft,
    allow_human: true,
    instructions: 'Be brief.',
    questions: [{ question: 'Do you deliver?', answer: 'No.' }],
    actions: [{ ...action, headers: [{ key: 'X-Key', value: 'new' }] }],
    document_ids: ['two'],
  };
  const removed = (text: string) => ({ kind: 'removed', text });
  const added = (text: string) => ({ kind: 'added', text });
  assert.deepEqual(findDifferences(draft, changed, texts), [
    { section: 'settings', lines: [removed('allow_human=false'), added('allow_human=true')] },
    { section: 'instructions', lines: [removed('Be kind.')] },
    { section: 'questions', lines: [removed('Do you deliver? → Yes.'), added('Do you deliver? → No.')] },
    { section: 'actions', lines: [removed('Order: X-Key: old'), added('Order: X-Key: new')] },
    { section: 'documents', lines: [removed('document one')] },
  ]);
});
