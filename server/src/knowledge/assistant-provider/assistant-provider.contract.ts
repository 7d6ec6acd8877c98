import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTurn } from '../../../test/steps.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import type {
  AssistantProvider,
  AssistantSpec,
  OwnedObject,
  OwnerTag,
  ProviderDocument,
} from './assistant-provider.ts';

/** An assistant without pairs, tools and documents. */
export const bareSpec: AssistantSpec = {
  name: 'Desk',
  identificationName: 'Ada',
  instructions: '',
  temperature: 0,
  modelLevel: 1,
  questions: [],
  tools: [],
  knowledge: { storeRef: '', documentRefs: [] },
};

export function textDocument(name: string, text: string): ProviderDocument {
  return {
    name,
    type: 'txt',
    bytes: new TextEncoder().encode(text),
    sections: [{ page: null, heading: null, text }],
  };
}

const bicycles = textDocument(
  'rental.txt',
  'Bicycles are rented at the harbour office. A deposit of forty euros is taken for each bicycle.',
);

const { signal } = new AbortController();
let made = 0;

type Create = (installationId: string) => AssistantProvider | Promise<AssistantProvider>;

/** Returns a provider of a new installation and the tags of its objects. */
async function begin(create: Create) {
  made += 1;
  const id = `${process.pid}-${made}`;
  const tag = (operation: string): OwnerTag => ({
    teamId: `team-${id}`,
    objectId: `object-${id}`,
    operation: `${operation}-${id}`,
  });
  return { provider: await create(`installation-${id}`), tag };
}

const ask = (
  provider: AssistantProvider,
  at: { ref: string; revision: string },
  text: string,
  withdrawn: string[] = [],
) => provider.step(makeTurn(at, [{ role: 'contact', text }], { withdrawnDocumentRefs: withdrawn }), signal);

async function answerTo(...args: Parameters<typeof ask>) {
  const step = await ask(...args);
  assert.equal(step.kind, 'answer');
  return step.kind === 'answer' ? step : assert.fail();
}

async function untilReady(provider: AssistantProvider, ref: string): Promise<void> {
  while ((await provider.documentStatus(ref, signal)) === 'processing');
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
}

async function listed(provider: AssistantProvider): Promise<OwnedObject[]> {
  const objects: OwnedObject[] = [];
  for await (const object of provider.listOwned(signal)) objects.push(object);
  return objects;
}

async function rejectsWith(kind: ProviderError['kind'], promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => error instanceof ProviderError && error.kind === kind);
}

/**
 * Tests the guarantees that every adapter gives beyond its types. `create` returns a provider that may hold objects of
 * other installations. Each test creates its own objects.
 */
export function testAssistantProvider(create: Create): void {
  test('returns the same object for a repeated put with the same operation', async () => {
    const { provider, tag } = await begin(create);
    const [first, second] = await Promise.all([
      provider.putKnowledge(tag('k'), signal),
      provider.putKnowledge(tag('k'), signal),
    ]);
    assert.deepEqual(first, second);
    const documents = await Promise.all(
      [1, 2, 3].map(() => provider.putDocument(tag('d'), bicycles, signal)),
    );
    assert.equal(new Set(documents.map(({ ref }) => ref)).size, 1);
    const assistants = await Promise.all(
      [1, 2].map(() => provider.putAssistant(tag('a'), null, bareSpec, signal)),
    );
    assert.deepEqual(assistants[0], assistants[1]);
    assert.equal((await listed(provider)).length, 3);
  });

  test('creates distinct objects for distinct operations', async () => {
    const { provider, tag } = await begin(create);
    const one = await provider.putDocument(tag('one'), bicycles, signal);
    const two = await provider.putDocument(tag('two'), bicycles, signal);
    assert.notEqual(one.ref, two.ref);
  });

  test('keeps a revision unchanged when later ones are created', async () => {
    const { provider, tag } = await begin(create);
    const questions = (answer: string) => [{ question: 'When do you open?', answer }];
    const old = await provider.putAssistant(
      tag('a'),
      null,
      { ...bareSpec, questions: questions('At nine.') },
      signal,
    );
    const next = await provider.putAssistant(
      tag('b'),
      old.ref,
      { ...bareSpec, questions: questions('At ten.') },
      signal,
    );
    assert.equal(next.ref, old.ref);
    assert.notEqual(next.revision, old.revision);
    assert.match((await answerTo(provider, old, 'When do you open?')).text, /nine/);
    assert.match((await answerTo(provider, next, 'When do you open?')).text, /ten/);
  });

  test('accepts repeated deletions and rejects use of deleted objects', async () => {
    const { provider, tag } = await begin(create);
    const knowledge = await provider.putKnowledge(tag('k'), signal);
    const document = await provider.putDocument(tag('d'), bicycles, signal);
    const assistant = await provider.putAssistant(tag('a'), null, bareSpec, signal);
    await ask(provider, assistant, 'Hello');
    for (const _ of [1, 2]) {
      await provider.deleteAssistant(assistant.ref, signal);
      await provider.deleteDocument(document.ref, signal);
      await provider.deleteKnowledge(knowledge.ref, signal);
    }
    assert.deepEqual(await listed(provider), []);
    await rejectsWith('not_found', ask(provider, assistant, 'Hello'));
    await rejectsWith('not_found', provider.documentStatus(document.ref, signal));
    await rejectsWith('not_found', provider.putAssistant(tag('b'), assistant.ref, bareSpec, signal));
  });

  test('lists objects of this installation only, with their tags', async () => {
    const { provider, tag } = await begin(create);
    const other = await begin(create);
    await other.provider.putKnowledge(other.tag('k'), signal);
    const knowledge = await provider.putKnowledge(tag('k'), signal);
    const document = await provider.putDocument(tag('d'), bicycles, signal);
    const assistant = await provider.putAssistant(tag('a'), null, bareSpec, signal);
    const objects = new Map((await listed(provider)).map((object) => [object.ref, object]));
    assert.deepEqual([...objects.keys()].sort(), [knowledge.ref, document.ref, assistant.ref].sort());
    assert.deepEqual(objects.get(document.ref)?.tag, tag('d'));
    assert.equal(objects.get(document.ref)?.kind, 'document');
    assert.equal(objects.get(knowledge.ref)?.kind, 'knowledge');
    assert.equal(objects.get(assistant.ref)?.kind, 'assistant');
    assert.ok(objects.get(assistant.ref)?.createdAt instanceof Date);
  });

  test('rejects a call with an aborted signal and changes nothing', async () => {
    const { provider, tag } = await begin(create);
    const aborted = AbortSignal.abort();
    await assert.rejects(provider.putKnowledge(tag('k'), aborted), ProviderError);
    await assert.rejects(provider.putDocument(tag('d'), bicycles, aborted), ProviderError);
    assert.deepEqual(await listed(provider), []);
  });
}

/** Tests what a provider adds that quotes its knowledge, and no model between. */
export function testRetrieval(create: Create): void {
  test('quotes a ready document until it is withdrawn or deleted', async () => {
    const { provider, tag } = await begin(create);
    const { ref: storeRef } = await provider.putKnowledge(tag('k'), signal);
    const { ref } = await provider.putDocument(tag('d'), bicycles, signal);
    await untilReady(provider, ref);
    const spec = { ...bareSpec, knowledge: { storeRef, documentRefs: [ref] } };
    const assistant = await provider.putAssistant(tag('a'), null, spec, signal);
    const question = 'How much is the deposit for a bicycle?';
    const answer = await answerTo(provider, assistant, question);
    assert.equal(answer.answered, true);
    assert.match(answer.text, /forty/);
    assert.ok(answer.sources.some((source) => source.kind === 'passage' && source.documentRef === ref));
    assert.equal((await answerTo(provider, assistant, question, [ref])).answered, false);
    await provider.deleteDocument(ref, signal);
    assert.equal((await answerTo(provider, assistant, question)).answered, false);
  });

  test('does not quote a document that is not attached', async () => {
    const { provider, tag } = await begin(create);
    const { ref } = await provider.putDocument(tag('d'), bicycles, signal);
    await untilReady(provider, ref);
    const assistant = await provider.putAssistant(tag('a'), null, bareSpec, signal);
    assert.equal(
      (await answerTo(provider, assistant, 'How much is the deposit for a bicycle?')).answered,
      false,
    );
  });

  test('says that the answer is unknown and marks it as not answered', async () => {
    const { provider, tag } = await begin(create);
    const assistant = await provider.putAssistant(tag('a'), null, bareSpec, signal);
    const answer = await answerTo(provider, assistant, 'Who painted the ceiling?');
    assert.equal(answer.answered, false);
    assert.notEqual(answer.text.trim(), '');
    assert.deepEqual(answer.sources, []);
  });
}
