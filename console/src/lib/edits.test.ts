import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEdits, keepEdits } from './edits.ts';

const draft = { name: 'Lumen', temperature: 0, questions: [{ question: 'Open?', answer: 'Yes.' }] };

test('keeps only the parts of a draft that the user changed meanwhile', () => {
  const questions = [{ question: 'Open?', answer: 'From nine.' }];
  const fresh = { ...draft, name: 'Lumen Bikes', questions: [] };
  assert.deepEqual(keepEdits({ ...draft, questions }, draft, fresh), { ...fresh, questions });
  assert.deepEqual(keepEdits({ ...draft }, draft, fresh), fresh);
  assert.deepEqual(findEdits({ ...draft, questions }, draft), { questions });
});
