import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBot, addDocument, addTeam, failing, startBotsApp } from '../../../test/bots.ts';
import { openTestContext } from '../../../test/harness.ts';
import { makeTurn } from '../../../test/steps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createBotLoader } from './bot-loader.ts';

const app = await startBotsApp();
const { api, context, provider } = app;
const teamId = await addTeam(context);
const answering = createBotLoader({ ...context, provider, providerDeadlineMs: 1500 });
const { signal } = new AbortController();
const all = { kind: 'all' } as const;

const rejectsWith = (reason: string, promise: Promise<unknown>) =>
  assert.rejects(promise, (error) => error instanceof ApiError && error.details?.reason === reason);

test('loads a published bot with its settings and its actions, headers unsealed', async () => {
  const document = await addDocument(context, teamId);
  const { id, ai_provider_id } = await addBot(app, teamId, {
    instructions: 'Be brief.',
    identification_name: 'Ada',
    allow_human: true,
    break_lines: true,
    chat_model_level: 2,
    document_ids: [document.id],
    actions: [{ name: 'Order status', endpoint: 'https://example.com/', headers: { 'X-Key': 'secret' } }],
  });
  await api('POST', `/bots/${id}/publish`);
  const bot = await answering.load(id);
  assert.ok(bot !== null);
  const { revision, tools, ...rest } = bot;
  assert.ok(revision);
  assert.deepEqual(rest, {
    botId: id,
    teamId,
    version: 1,
    assistantRef: ai_provider_id,
    withdrawnDocumentRefs: [],
    documents: new Map([[document.ref, { id: document.id, name: 'rental.txt' }]]),
    name: 'Desk',
    identificationName: 'Ada',
    instructions: 'Be brief.',
    temperature: 0.7,
    chatModelLevel: 2,
    allowHuman: true,
    breakLines: true,
    useAudioResponses: false,
    allowUserAudioRequests: false,
    capturePayments: false,
    purpose: null,
    disclosure: null,
    answerMaxAgeMinutes: 720,
  });
  assert.deepEqual([...tools.keys()], ['Order_status']);
  assert.deepEqual(tools.get('Order_status')?.headers, [{ key: 'X-Key', value: 'secret' }]);
});

test('loads the new version in every process after publish has returned', async () => {
  const other = await openTestContext(context.databaseUrl);
  try {
    const elsewhere = createBotLoader({ ...other, providerDeadlineMs: 1500 });
    const { id } = await addBot(app, teamId);
    for (const version of [1, 2, 3]) {
      await api('PATCH', `/bots/${id}`, { body: { instructions: `Version ${version}` } });
      await api('POST', `/bots/${id}/publish`);
      const loaded = await Promise.all([answering.load(id), elsewhere.load(id)]);
      for (const bot of loaded) {
        assert.deepEqual([bot?.version, bot?.instructions], [version, `Version ${version}`]);
      }
    }
  } finally {
    await other.close();
  }
});

test('returns null for a deleted or unknown bot', async () => {
  const { id } = await addBot(app, teamId);
  assert.equal(await answering.load(id), null);
  assert.equal(await answering.load(newId()), null);
});

test('loads the draft without changing the live version', async () => {
  const { id } = await addBot(app, teamId, {
    questions: [{ question: 'When do you open?', answer: 'At nine.' }],
  });
  await api('POST', `/bots/${id}/publish`);
  await api('PATCH', `/bots/${id}`, {
    body: { questions: [{ question: 'When do you open?', answer: 'At ten.' }] },
  });
  const draft = await answering.loadDraft(all, id, signal);
  assert.equal(draft.version, null);
  const step = await provider.step(
    makeTurn({ ref: draft.assistantRef, revision: draft.revision }, [
      { role: 'contact', text: 'When do you open?' },
    ]),
    signal,
  );
  assert.match(step.kind === 'answer' ? step.text : '', /ten/);
  const { body } = await api('GET', `/bots/${id}`);
  assert.equal(body.data.published, false);
  assert.equal((await answering.load(id))?.version, 1);
});

test('publishes the same revision that loadDraft has created', async () => {
  const { id } = await addBot(app, teamId);
  const { revision } = await answering.loadDraft(all, id, signal);
  assert.equal((await answering.loadDraft(all, id, signal)).revision, revision);
  await api('POST', `/bots/${id}/publish`);
  assert.equal((await answering.load(id))?.revision, revision);
});

test('rejects loading a draft with the documented reasons', async () => {
  const document = await addDocument(context, teamId);
  const { id } = await addBot(app, teamId, { document_ids: [document.id] });
  await rejectsWith('bot_not_found', answering.loadDraft(all, newId(), signal));
  await rejectsWith('bot_not_found', answering.loadDraft({ kind: 'team', teamId: newId() }, id, signal));
  const recover = failing(provider, { putAssistant: () => new Promise(() => undefined) });
  await rejectsWith('provider_unavailable', answering.loadDraft(all, id, AbortSignal.abort()));
  recover();
  const { db } = context;
  await db
    .updateTable('documents')
    .set({ provider_status: 'processing' })
    .where('id', '=', document.id)
    .execute();
  await rejectsWith('documents_not_ready', answering.loadDraft(all, id, signal));
});
