import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { createGuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import { createOpenAiCompatibleEmbedding } from '../../ports/embedding/openai-compatible.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { embedPassagesJob } from './embedding.jobs.ts';
import { createKnowledge } from './knowledge.ts';
import { createPairIndex } from './pairs.ts';
import { createStemming } from './stemming.ts';
import { deleteTagged } from './tagged-objects.sql.ts';
import { createTimeSlicer } from './time-slices.ts';

const database = await connectTestDatabase();
const { db } = database;
const fakes = await startFakeModels();
after(() => fakes.stop());
const yieldControl = createTimeSlicer()();
const { signal } = new AbortController();

const car = 'The rental car stands beside the harbour office, and it costs forty euros a day. ';
const crane = 'The crane lifts up to 12 tonnes on weekdays, and it has to be booked three days ahead. ';
/** About 1,200 characters, which is one passage. */
const paragraph = (sentence: string) => sentence.repeat(15).trim();

const stemming = createStemming(db);
const noPairs = await createPairIndex(stemming, [], yieldControl);

let installations = 0;

/** Returns a knowledge of its own that searches with this model. */
function openKnowledge(model = `model-${installations}`, timeoutMs = 60_000) {
  installations += 1;
  const installationId = `installation-${installations}`;
  const withModel = (name: string) => {
    const embedding = createGuardedEmbedding({
      embedding: createOpenAiCompatibleEmbedding({ baseUrl: `${fakes.url}/v1`, apiKey: null, model: name }),
      onRequest: () => undefined,
      timeoutsMs: { question: timeoutMs, pairs: 60_000, passages: 60_000 },
    });
    const knowledge = createKnowledge({ ...database, installationId, embedding });
    const warnings: object[] = [];
    const logger = { info: () => undefined, warn: (data: object) => void warnings.push(data) };
    const job = embedPassagesJob({ db, installationId, embedding, logger: logger as never });
    return {
      model: name,
      embedding,
      knowledge,
      warnings,
      runJob: () => job.run({}, signal),
      async ground(question: string, refs: readonly string[], pairs = noPairs) {
        const documents = await knowledge.findDocuments('team', refs);
        const grounding = await knowledge.ground({ pairs, documents }, question, yieldControl);
        return { ...grounding, passages: grounding.passages.filter(({ score }) => score > 0) };
      },
    };
  };
  const { knowledge, ...rest } = withModel(model);
  let documents = 0;
  return {
    ...rest,
    indexPairs: () => knowledge.indexPairs(shop, yieldControl),
    withModel,
    installationId,
    async store(text: string, teamId = 'team'): Promise<string> {
      documents += 1;
      const operation = `operation-${documents}`;
      const ref = `file-${installationId}-${documents}`;
      const tag = { teamId, objectId: operation, operation };
      const object = { ref, installationId, tag, createdAt: new Date() };
      return knowledge.storeDocument(object, textDocument(`${operation}.txt`, text), yieldControl);
    },
  };
}

async function readVectors(refs: readonly string[]) {
  const { rows } = await sql<{ ref: string; model: string; embedded: boolean }>`
    select document_ref as ref, model, vector is not null as embedded from embedded_provider.passage_vectors
    where document_ref = any(${refs}::text[]) order by document_ref, ordinal`.execute(db);
  return rows;
}

/** Returns the texts of all requests for passages, one list for each request. */
const sentTexts = async (model: string): Promise<string[][]> =>
  (await fakes.requests(model)).map(({ body }) => body.input);

test('finds a passage that shares no word with the question once it has a vector', async () => {
  const { store, ground, runJob } = openKnowledge();
  const refs = [await store(paragraph(crane)), await store(paragraph(car))];
  const question = 'automobile';
  assert.deepEqual((await ground(question, refs)).passages, []);
  await runJob();
  const { passages, embeddingFailure } = await ground(question, refs);
  assert.equal(passages[0]?.documentRef, refs[1]);
  assert.equal(embeddingFailure, null);
  // Both rankings agree on the crane.
  const [best] = (await ground('How many tonnes can the crane lift?', refs)).passages;
  assert.deepEqual([best?.documentRef, best?.score], [refs[0], 1]);
});

const shop = [
  { question: 'When do you open?', answer: 'At nine.' },
  { question: 'Do you deliver abroad?', answer: 'To all of Europe.' },
  { question: 'Where can I buy a car?', answer: 'In Harbour Street.' },
];

test('finds a pair that shares no word with the question once the pairs have vectors', async () => {
  const { ground, indexPairs } = openKnowledge();
  const pairs = await indexPairs();
  const best = async (question: string) => (await ground(question, [], pairs)).pairs[0];
  const exact = { ...shop[0], score: 1 };
  assert.deepEqual(await best('when do you open'), exact);
  await eventually(async () =>
    assert.equal((await best('Automobile purchase'))?.answer, 'In Harbour Street.'),
  );
  assert.deepEqual(await best('when do you open'), exact);
});

test('embeds pairs after the provider recovers, and each once', async () => {
  const { model, ground, indexPairs } = openKnowledge();
  const sentPairs = async () =>
    (await sentTexts(model)).filter((texts) => texts.length === shop.length).length;
  await fakes.script(model, [{ error: { status: 500, code: 'internal', message: 'Failed' } }]);
  const pairs = await indexPairs();
  await eventually(async () => assert.equal(await sentPairs(), 1));
  await eventually(async () => {
    const { pairs: found, embeddingFailure } = await ground('Automobile purchase', [], pairs);
    assert.equal(embeddingFailure, null);
    assert.equal(found[0]?.answer, 'In Harbour Street.');
  });
  assert.equal(await sentPairs(), 2);
});

test('searches only the documents of the version', async () => {
  const { store, ground, runJob } = openKnowledge();
  const [own, withdrawn] = [await store(paragraph(crane)), await store(paragraph(car))];
  await runJob();
  const { passages } = await ground('automobile', [own]);
  assert.deepEqual(
    passages.map(({ documentRef }) => documentRef),
    [own],
  );
  assert.notEqual(own, withdrawn);
});

test('searches by words and says why if the question cannot be embedded', async () => {
  const { model, store, ground, runJob, embedding } = openKnowledge();
  const refs = [await store(paragraph(crane)), await store(paragraph(car))];
  await runJob();
  await fakes.script(model, [
    { error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } },
  ]);
  const before = (await sentTexts(model)).length;
  for (const _ of [1, 2]) {
    const { passages, embeddingFailure } = await ground('How many tonnes can the crane lift?', refs);
    assert.equal(passages[0]?.documentRef, refs[0]);
    assert.equal(embeddingFailure, 'auth');
  }
  assert.equal((await sentTexts(model)).length, before + 1);
  assert.equal(embedding.describe().failure?.kind, 'auth');
});

test('searches by words if the provider does not respond in time', async () => {
  const { model, store, ground } = openKnowledge(undefined, 100);
  const refs = [await store(paragraph(crane))];
  await fakes.script(model, [{ fault: 'hang' }]);
  const { passages, embeddingFailure } = await ground('How many tonnes can the crane lift?', refs);
  assert.equal(passages.length, 1);
  assert.equal(embeddingFailure, 'transient');
});

test('ignores vectors of another model and replaces them', async () => {
  const { store, withModel, runJob } = openKnowledge();
  const refs = [await store(paragraph(crane)), await store(paragraph(car))];
  await runJob();
  const next = withModel('next-model');
  assert.deepEqual((await next.ground('automobile', refs)).passages, []);
  await next.runJob();
  assert.equal((await next.ground('automobile', refs)).passages[0]?.documentRef, refs[1]);
  assert.deepEqual([...new Set((await readVectors(refs)).map(({ model }) => model))], ['next-model']);
});

test('ignores vectors of another length', async () => {
  const { store, ground, runJob } = openKnowledge();
  const refs = [await store(paragraph(crane)), await store(paragraph(car))];
  await runJob();
  await sql`
    update embedded_provider.passage_vectors
    set signs = substring(signs from 1 for 512), vector = substring(vector from 1 for 1024)
    where document_ref = ${refs[0]}`.execute(db);
  const { passages } = await ground('automobile', refs);
  assert.deepEqual(
    passages.map(({ documentRef }) => documentRef),
    [refs[1]],
  );
});

test('deletes the vectors with their document, also while they are made', async () => {
  const { model, store, runJob, installationId } = openKnowledge();
  const [first, second] = [await store(paragraph(crane)), await store(paragraph(car))];
  const remove = (ref: string) => deleteTagged(db, 'document', installationId, ref);
  await runJob();
  assert.equal((await readVectors([first])).length, 1);
  await remove(first);
  await remove(second);
  assert.deepEqual(await readVectors([first, second]), []);
  const third = await store(paragraph(car));
  const before = (await sentTexts(model)).length;
  await fakes.script(model, [{ delayMs: 300 }]);
  const running = runJob();
  while ((await sentTexts(model)).length === before);
  await remove(third);
  await running;
  assert.deepEqual(await readVectors([third]), []);
});

test('embeds a batch of each team in turn', async () => {
  const { model, store, runJob } = openKnowledge();
  const large = await store(Array.from({ length: 40 }, () => paragraph(crane)).join('\n\n'), 'a');
  const refs = [large, await store(paragraph(crane), 'a'), await store(paragraph(crane), 'a')];
  refs.push(await store(paragraph(car), 'b'));
  await runJob();
  const sent = await sentTexts(model);
  assert.match(sent[1]?.[0] ?? '', /rental car/);
  assert.ok(sent.every((texts) => texts.length <= 32));
  assert.equal((await readVectors(refs)).length, 43);
  await runJob();
  assert.equal((await sentTexts(model)).length, sent.length);
});

test('leaves out only the passages that the model refuses', async () => {
  const { store, runJob, ground } = openKnowledge('short');
  const short = 'Cars are rented at the harbour.';
  const ref = await store([paragraph(crane), paragraph(`Today: ${crane}`), short].join('\n\n'));
  const before = (await sentTexts('short')).length;
  await assert.doesNotReject(runJob());
  const vectors = await readVectors([ref]);
  assert.deepEqual(
    vectors.map(({ embedded }) => embedded),
    [false, false, true],
  );
  const requests = (await sentTexts('short')).length;
  assert.ok(requests - before <= 9, `${requests - before} requests`);
  await runJob();
  assert.equal((await sentTexts('short')).length, requests);
  assert.equal((await ground('How many tonnes can the crane lift?', [ref])).passages.length, 3);
});

test('leaves out no passage if the model refuses everything', async () => {
  const { model, store, runJob } = openKnowledge();
  const ref = await store([paragraph(crane), paragraph(car)].join('\n\n'));
  const refusal = { error: { status: 400, code: 'invalid', message: 'dimensions is not an integer' } };
  await fakes.script(model, [refusal, refusal]);
  await runJob();
  assert.deepEqual(await readVectors([ref]), [
    { ref, model, embedded: true },
    { ref, model, embedded: true },
  ]);
});

test('stops at a refused key and continues with a mended one; the document is ready meanwhile', async () => {
  const { model, store, runJob, withModel } = openKnowledge();
  const ref = await store(paragraph(car));
  await fakes.script(model, [
    { error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } },
  ]);
  await assert.rejects(runJob(), (error) => error instanceof ProviderError && error.kind === 'auth');
  assert.equal((await fakes.requests(model)).length, 1);
  const mended = withModel(model);
  assert.equal(await mended.knowledge.documentState(ref), 'ready');
  await mended.runJob();
  assert.equal((await readVectors([ref])).length, 1);
});

test('tries again after a passing failure, and gives up after three', async () => {
  const { model, store, runJob, warnings } = openKnowledge();
  const ref = await store(paragraph(car));
  const failure = { error: { status: 500, code: 'internal', message: 'Out of memory' } };
  await fakes.script(model, [failure]);
  await runJob();
  assert.equal((await readVectors([ref])).length, 1);
  assert.deepEqual(
    warnings.map((warning) => 'kind' in warning && warning.kind),
    ['transient'],
  );
  await store(paragraph(crane));
  await fakes.script(model, [failure, failure, failure]);
  await assert.rejects(runJob(), (error) => error instanceof ProviderError && error.kind === 'transient');
});
