import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { createKnowledge, type SearchableVersion } from './knowledge.ts';
import { createTimeSlicer } from './time-slices.ts';

const database = await connectTestDatabase();
const knowledge = createKnowledge({ ...database, installationId: 'test' });
const yieldControl = createTimeSlicer()();

const tag = { teamId: 'team', objectId: 'document' };
const harbour = textDocument(
  'harbour.txt',
  'The crane of the harbour lifts up to 12 tonnes on weekdays, and it has to be booked three days ahead. '.repeat(
    3,
  ),
);
const pairs = Array.from({ length: 12 }, (_, n) => ({
  question: `How much is a mooring for ${n} nights?`,
  answer: `${18 * n} euros.`,
}));
const object = {
  ref: 'file_1',
  installationId: 'test',
  tag: { ...tag, operation: '1' },
  createdAt: new Date(),
};
const ref = await knowledge.storeDocument(object, harbour, yieldControl);
const version: SearchableVersion = {
  pairs: await knowledge.indexPairs(pairs, yieldControl),
  documents: await knowledge.findDocuments('team', [ref]),
};

test('grounds a question in passages and in several pairs', async () => {
  const { pairs: found, passages } = await knowledge.ground(
    version,
    'Does the crane for a mooring of 5 nights cost extra?',
    yieldControl,
  );
  assert.equal(found[0]?.answer, '90 euros.');
  assert.equal(found.length, 12);
  assert.deepEqual(
    passages.map(({ document, documentRef, score }) => ({ document, documentRef, score })),
    [{ document: 'harbour.txt', documentRef: ref, score: 1 }],
  );
  assert.match(passages[0]?.text ?? '', /12 tonnes/);
});

test('grounds the question of a pair in this pair', async () => {
  const { pairs: found } = await knowledge.ground(
    version,
    'how much is a mooring for 3 nights',
    yieldControl,
  );
  assert.deepEqual(found[0], { ...pairs[3], score: 1 });
});
