import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../../test/fake-models/fake-models.ts';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { makeTurn } from '../../../../test/steps.ts';
import { chatNotation } from '../../../platform/notation/notation.ts';
import {
  bareSpec,
  testAssistantProvider,
  testRetrieval,
  textDocument,
} from '../assistant-provider.contract.ts';
import type { AssistantProvider, OwnedObject, OwnerTag } from '../assistant-provider.ts';
import { createAssistantProvider } from '../create-assistant-provider.ts';

const database = await connectTestDatabase();
const fakes = await startFakeModels();
after(() => fakes.stop());
const { signal } = new AbortController();

const create = (
  installationId: string,
  { apiKey = 'sk-test', model = 'quoting' } = {},
): Promise<AssistantProvider> =>
  createAssistantProvider({
    notation: chatNotation,
    ...database,
    installationId,
    embedding: null,
    settings: {
      name: 'openai-hosted',
      apiKey,
      baseUrl: `${fakes.url}/v1`,
      levels: [model, null, null],
      timeoutMs: 10_000,
      concurrency: 4,
      fallback: 'none',
      vision: false,
    },
  });

testAssistantProvider((installationId) => create(installationId));
// The fake's model quotes what its file search finds.
testRetrieval((installationId) => create(installationId));

let made = 0;

async function begin(options: { apiKey?: string; model?: string } = {}) {
  made += 1;
  const installationId = `hosted-${made}`;
  const tag = (operation: string): OwnerTag => ({ teamId: 'team', objectId: 'object', operation });
  return { installationId, provider: await create(installationId, options), tag };
}

async function listed(provider: AssistantProvider): Promise<OwnedObject[]> {
  const objects: OwnedObject[] = [];
  for await (const object of provider.listOwned(signal)) objects.push(object);
  return objects;
}

const deposit = textDocument('rental terms.txt', 'A deposit of forty euros is taken for each bicycle.');
const question = 'How much is the deposit for a bicycle?';

/** Creates an assistant with one ready document. */
async function makeReader({ provider, tag }: Awaited<ReturnType<typeof begin>>) {
  const { ref: storeRef } = await provider.putKnowledge(tag('k'), signal);
  const { ref } = await provider.putDocument(tag('d'), deposit, signal);
  const spec = { ...bareSpec, knowledge: { storeRef, documentRefs: [ref] } };
  return { storeRef, documentRef: ref, ...(await provider.putAssistant(tag('a'), null, spec, signal)) };
}

test('keeps files and vector stores at OpenAI under their own ids', async () => {
  const made = await begin();
  const { storeRef, documentRef } = await makeReader(made);
  assert.match(documentRef, /^file-/);
  assert.match(storeRef, /^vs_/);
  assert.equal((await fakes.requests('POST /v1/files')).length > 0, true);
});

test('finds an object whose creation was not confirmed instead of creating another one', async () => {
  const { provider, tag } = await begin();
  await fakes.failFiles('POST /v1/files', { kind: 'lose reply' });
  await fakes.failFiles('POST /v1/vector_stores', { kind: 'lose reply' });
  const knowledge = await provider.putKnowledge(tag('k'), signal);
  const document = await provider.putDocument(tag('d'), deposit, signal);
  assert.deepEqual(
    (await listed(provider)).map(({ ref }) => ref).sort(),
    [document.ref, knowledge.ref].sort(),
  );
});

test('finds an object that a process created before it died', async () => {
  const { provider, tag } = await begin();
  await fakes.failFiles('POST /v1/files', { kind: 'hold reply' });
  const aborted = new AbortController();
  const first = provider.putDocument(tag('d'), deposit, aborted.signal);
  while ((await listed(provider)).length === 0);
  aborted.abort();
  await assert.rejects(first);
  const { ref } = await provider.putDocument(tag('d'), deposit, signal);
  assert.deepEqual(
    (await listed(provider)).map((object) => object.ref),
    [ref],
  );
});

test('repeats a call after 429 and 5xx', async () => {
  const { provider, tag } = await begin();
  await fakes.failFiles('POST /v1/vector_stores', { kind: 'error', status: 429, retryAfter: '0' });
  await fakes.failFiles('POST /v1/vector_stores', { kind: 'error', status: 503 });
  const { ref } = await provider.putKnowledge(tag('k'), signal);
  assert.deepEqual(
    (await listed(provider)).map((object) => object.ref),
    [ref],
  );
});

test('reports a refused key at once', async () => {
  const { provider, tag } = await begin({ apiKey: 'wrong' });
  await assert.rejects(provider.putKnowledge(tag('k'), signal), { name: 'ProviderError', kind: 'auth' });
});

test('reports a document that OpenAI cannot index, and one that it indexes forever', async () => {
  const { provider, tag } = await begin();
  const unreadable = await provider.putDocument(tag('u'), textDocument('a.txt', '[unreadable]'), signal);
  const endless = await provider.putDocument(tag('n'), textDocument('b.txt', '[never indexed]'), signal);
  let status = 'processing';
  while (status === 'processing') status = await provider.documentStatus(unreadable.ref, signal);
  assert.equal(status, 'failed');
  assert.equal(await provider.documentStatus(endless.ref, signal), 'processing');
});

test('creates no revision until OpenAI has indexed its documents', async () => {
  const { provider, tag } = await begin();
  const { ref: storeRef } = await provider.putKnowledge(tag('k'), signal);
  const { ref } = await provider.putDocument(tag('n'), textDocument('b.txt', '[never indexed]'), signal);
  const spec = { ...bareSpec, knowledge: { storeRef, documentRefs: [ref] } };
  const limited = AbortSignal.timeout(1500);
  await assert.rejects(provider.putAssistant(tag('a'), null, spec, limited), { kind: 'transient' });
  assert.deepEqual(
    (await listed(provider)).filter(({ kind }) => kind === 'assistant'),
    [],
  );
});

test('detaches a file from its stores before it deletes it, and repeats until both are confirmed', async () => {
  const made = await begin();
  const { documentRef, ...assistant } = await makeReader(made);
  await fakes.failFiles('DELETE /v1/vector_stores/*/files/*', { kind: 'error', status: 500 });
  await fakes.failFiles('DELETE /v1/files/*', { kind: 'lose reply' });
  await made.provider.deleteDocument(documentRef, signal);
  const step = await made.provider.step(makeTurn(assistant, [{ role: 'contact', text: question }]), signal);
  assert.equal(step.kind === 'answer' && step.answered, false);
  assert.deepEqual(
    (await listed(made.provider)).filter(({ kind }) => kind === 'document'),
    [],
  );
});

test('sends the text of a spreadsheet, whose file OpenAI does not index', async () => {
  const made = await begin();
  const { provider, tag } = made;
  const { ref: storeRef } = await provider.putKnowledge(tag('k'), signal);
  const sheet = {
    ...deposit,
    name: 'terms.xlsx',
    type: 'xlsx' as const,
    bytes: Buffer.from('PK\u0003\u0004'),
  };
  const { ref } = await provider.putDocument(tag('d'), sheet, signal);
  const spec = { ...bareSpec, knowledge: { storeRef, documentRefs: [ref] } };
  const assistant = await provider.putAssistant(tag('a'), null, spec, signal);
  const step = await provider.step(makeTurn(assistant, [{ role: 'contact', text: question }]), signal);
  assert.ok(step.kind === 'answer');
  assert.equal(step.text, 'A deposit of forty euros is taken for each bicycle.');
});

test('names the document, without its tag, in the sources and removes marks of quotes', async () => {
  const made = await begin();
  const assistant = await makeReader(made);
  const step = await made.provider.step(makeTurn(assistant, [{ role: 'contact', text: question }]), signal);
  assert.ok(step.kind === 'answer');
  assert.equal(step.text, 'A deposit of forty euros is taken for each bicycle.');
  const [source] = step.sources;
  assert.ok(source?.kind === 'passage');
  assert.equal(source.documentRef, assistant.documentRef);
  assert.equal(source.quote, step.text);
  assert.deepEqual(step.usage, [
    {
      provider: 'openai-hosted',
      model: 'quoting',
      tokens: { input: 100, cached: 40, output: 20, reasoning: 5 },
    },
  ]);
});

test('reports a file as a source that the model cites in an annotation only', async () => {
  const made = await begin({ model: 'annotating' });
  const assistant = await makeReader(made);
  await fakes.script('annotating', [{ quotes: true, annotates: true }]);
  const step = await made.provider.step(makeTurn(assistant, [{ role: 'contact', text: question }]), signal);
  assert.ok(step.kind === 'answer');
  assert.deepEqual(
    step.sources.map((source) => source.kind === 'passage' && source.documentRef),
    [assistant.documentRef],
  );
});

test('searches only the documents of the version, and keeps nothing of the conversation at OpenAI', async () => {
  const made = await begin({ model: 'gpt-5-hosted' });
  const assistant = await makeReader(made);
  await made.provider.step(makeTurn(assistant, [{ role: 'contact', text: question }]), signal);
  const [request] = await fakes.requests('gpt-5-hosted');
  assert.equal(request?.body.store, false);
  const search = request?.body.tools.find(({ type }: { type: string }) => type === 'file_search');
  assert.deepEqual(search.vector_store_ids, [assistant.storeRef]);
  assert.deepEqual(search.filters, { type: 'in', key: 'document', value: [assistant.documentRef] });
  assert.ok(request?.body.include.includes('reasoning.encrypted_content'));
  assert.equal(request?.body.temperature, undefined);
});

test('searches no withdrawn document', async () => {
  const made = await begin({ model: 'gpt-5-withdrawn' });
  const assistant = await makeReader(made);
  const messages = [{ role: 'contact' as const, text: question }];
  const withdrawnDocumentRefs = [assistant.documentRef];
  await made.provider.step(makeTurn(assistant, messages, { withdrawnDocumentRefs }), signal);
  const [request] = await fakes.requests('gpt-5-withdrawn');
  assert.equal(
    request?.body.tools.some(({ type }: { type: string }) => type === 'file_search'),
    false,
  );
});

test('replays reasoning and searches with the results of tools', async () => {
  const made = await begin({ model: 'gpt-5-replay' });
  const assistant = await makeReader(made);
  await fakes.script('gpt-5-replay', [
    { reasoning: 'thought', toolCalls: [{ callId: 'reasoned-1', tool: 'price', arguments: '{}' }] },
    { toolCalls: [{ callId: 'end', tool: 'reply', arguments: '{"text":"Ten.","sources":[]}' }] },
  ]);
  const contact = { role: 'contact' as const, text: question };
  const first = await made.provider.step(makeTurn(assistant, [contact]), signal);
  assert.ok(first.kind === 'tool_calls');
  const [call] = first.calls;
  assert.ok(call !== undefined);
  const second = await made.provider.step(
    makeTurn(
      assistant,
      [
        contact,
        { role: 'assistant', text: '', calls: [call] },
        { role: 'tool_results', results: [{ callId: call.callId, tool: call.tool, result: '10' }] },
      ],
      { state: JSON.parse(JSON.stringify(first.state)) },
    ),
    signal,
  );
  assert.ok(second.kind === 'answer');
  assert.equal(second.text, 'Ten.');
});
