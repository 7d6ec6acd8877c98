import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { eventually } from '../../../../test/eventually.ts';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { bareSpec, testAssistantProvider, testRetrieval } from '../assistant-provider.contract.ts';
import { createLocalProvider } from './local-provider.ts';

const database = await connectTestDatabase();

const create = (installationId: string) => createLocalProvider({ ...database, installationId });

testAssistantProvider(create);
testRetrieval(create);

test('starts the sentence encoder when English pairs are published', async () => {
  let threads = 0;
  subscribe('worker_threads', () => {
    threads += 1;
  });
  const questions = [{ question: 'When will I get my refund?', answer: 'Within five days.' }];
  const tag = { teamId: 'team', objectId: 'bot', operation: 'publish' };
  const { signal } = new AbortController();
  await create('published').putAssistant(tag, null, { ...bareSpec, questions }, signal);
  await eventually(async () => assert.equal(threads, 1));
});
