import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { bareSpec } from '../assistant-provider.contract.ts';
import { createEmbeddedProvider } from './embedded-provider.ts';
import { createLexicons } from './lexicon.ts';
import { createRevisionCache } from './revision-cache.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

const database = await connectTestDatabase();
const { db } = database;
const installationId = 'test';
const provider = createEmbeddedProvider({ ...database, installationId });
const stemming = createStemming(db);
const cache = createRevisionCache({
  db,
  installationId,
  stemming,
  lexicons: createLexicons(stemming),
  yieldControl: createTimeSlicer()(),
});

/** Loads a revision whose questions have this many characters. */
async function assistantOf(operation: string, characters: number) {
  const question = 'where '.repeat(100_000).slice(0, characters);
  const { ref, revision } = await provider.putAssistant(
    { teamId: 'team', objectId: 'bot', operation },
    null,
    { ...bareSpec, questions: [{ question, answer: 'Here' }] },
    new AbortController().signal,
  );
  return () => cache.get(ref, revision);
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
