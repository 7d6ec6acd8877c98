import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BotDraft, keepEdits } from './bot-draft.ts';

const draft: BotDraft = {
  name: 'Lumen',
  identification_name: '',
  description: '',
  instructions: 'Be brief.',
  temperature: 0,
  chat_model_level: 1,
  allow_human: true,
  break_lines: false,
  use_audio_responses: false,
  allow_user_audio_requests: false,
  capture_payments: false,
  questions: [{ question: 'Open?', answer: 'Yes.' }],
  actions: [],
  document_ids: [],
};

test('keeps only the parts of a draft that the user changed meanwhile', () => {
  const questions = [{ question: 'Open?', answer: 'From nine.' }];
  const fresh = { ...draft, name: 'Lumen Bikes', questions: [] };
  assert.deepEqual(keepEdits({ ...draft, questions }, draft, fresh), { ...fresh, questions });
  assert.deepEqual(keepEdits({ ...draft }, draft, fresh), fresh);
});
