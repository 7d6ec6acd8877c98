import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { createKnowledge } from '../../search/knowledge.ts';
import { createTimeSlicer } from '../../search/time-slices.ts';
import { bareSpec } from '../assistant-provider.contract.ts';
import { createLocalProvider } from './local-provider.ts';
import { createRevisionCache } from './revision-cache.ts';

const database = await connectTestDatabase();
const { db } = database;
const installationId = 'test';
const provider = createLocalProvider({ ...database, installationId });
const getRevision = createRevisionCache({
  db,
  installationId,
  knowledge: createKnowledge({ ...database, installationId }),
  yieldControl: createTimeSlicer()(),
  maxBytes: 1_500_000,
});

/** Loads a revision whose answer has this many characters. */
async function assistantOf(operation: string, characters: number) {
  const { ref, revision } = await provider.putAssistant(
    { teamId: 'team', objectId: 'bot', operation },
    null,
    { ...bareSpec, questions: [{ question: 'Where?', answer: 'x'.repeat(characters) }] },
    new AbortController().signal,
  );
  return () => getRevision(ref, revision);
}

test('loads a revision once, and again after others have filled the cache', async () => {
  const [small, large, other] = [
    await assistantOf('small', 20),
    await assistantOf('large', 600_000),
    await assistantOf('other', 600_000),
  ];
  const [first, second] = [await small(), await large()];
  assert.equal(await small(), first);
  const third = await other();
  assert.equal(await small(), first, 'asked for since the large one');
  assert.equal(await other(), third);
  assert.notEqual(await large(), second);
});
