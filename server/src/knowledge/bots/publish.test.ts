import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  addBot,
  addDocument,
  addTeam,
  failing,
  providerDeadlineMs,
  startBotsApp,
} from '../../../test/bots.ts';
import { makeTurn } from '../../../test/steps.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { createBotLoader } from './bot-loader.ts';

const app = await startBotsApp();
const { api, context, provider } = app;
const { db } = context;
const teamId = await addTeam(context, { bots: 1000 });
/** Loads bots like another process, which shares only the rows. */
const answering = createBotLoader({ ...context, providerDeadlineMs: 1500 });

const patch = (id: string, body: object) => api('PATCH', `/bots/${id}`, { body });
const publish = (id: string) => api('POST', `/bots/${id}/publish`);
const isPublished = async (id: string) => (await api('GET', `/bots/${id}`)).body.data.published;
const versionsOf = async (id: string) =>
  (await api('GET', `/bots/${id}/versions`)).body.data.map((v: { version: number }) => v.version);
const hours = (answer: string) => ({ questions: [{ question: 'When do you open?', answer }] });

const never = () => new Promise<never>(() => undefined);

/** Returns the answer of the live version. */
async function answerOf(id: string, question = 'When do you open?'): Promise<string> {
  const bot = await answering.load(id);
  assert.ok(bot !== null);
  const step = await provider.step(
    makeTurn({ ref: bot.assistantRef, revision: bot.revision }, [{ role: 'contact', text: question }], {
      withdrawnDocumentRefs: bot.withdrawnDocumentRefs,
    }),
    new AbortController().signal,
  );
  return step.kind === 'answer' ? step.text : assert.fail('expected an answer, not a tool call');
}

/** Blocks the next putAssistant call until the returned function is called. */
function holdPush(): { held: Promise<void>; release: () => void } {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const recover = failing(provider, {
    putAssistant: async (call) => {
      recover();
      held.resolve();
      await release.promise;
      return call();
    },
  });
  return { held: held.promise, release: release.resolve };
}

test('names the version that answers contacts, and none before the first publication', async () => {
  const live = async (id: string) => (await api('GET', `/bots/${id}`)).body.data.live_version;
  const { id } = await addBot(app, teamId);
  assert.equal(await live(id), null);
  await publish(id);
  await patch(id, { name: 'Till' });
  assert.equal(await live(id), 1);
});

describe('the published flag', () => {
  const transitions: [string, (id: string) => Promise<unknown>, boolean, boolean][] = [
    ['a change unpublishes', (id) => patch(id, { name: 'Till' }), true, false],
    ['an empty change unpublishes', (id) => patch(id, {}), true, false],
    ['a change keeps an unpublished bot unpublished', (id) => patch(id, { name: 'Till' }), false, false],
    ['a refused change changes nothing', (id) => patch(id, { temperature: 3 }), true, true],
    ['publishing publishes', publish, false, true],
    ['publishing again keeps it published', publish, true, true],
    ['restoring a version unpublishes', (id) => api('POST', `/bots/${id}/versions/1/restore`), true, false],
    ['reading changes nothing', (id) => api('GET', `/bots/${id}`), true, true],
  ];
  for (const [what, act, before, after] of transitions) {
    test(`${what} (${before} → ${after})`, async () => {
      const { id } = await addBot(app, teamId);
      if (before) await publish(id);
      assert.equal(await isPublished(id), before);
      await act(id);
      assert.equal(await isPublished(id), after);
    });
  }

  test('stays set when a document is deleted', async () => {
    const document = await addDocument(context, teamId);
    const { id } = await addBot(app, teamId, { document_ids: [document.id] });
    await publish(id);
    await db.deleteFrom('documents').where('id', '=', document.id).execute();
    const { published, documents } = (await api('GET', `/bots/${id}`)).body.data;
    assert.deepEqual([published, documents], [true, []]);
  });
});

describe('publish', () => {
  test('returns the id, the flag and a message', async () => {
    const { id } = await addBot(app, teamId);
    const { status, body } = await publish(id);
    assert.equal(status, 200);
    assert.deepEqual({ ...body.data, message: null }, { id, published: true, message: null });
  });

  test('fails within the deadline of the provider, although the check of the model hangs too', async () => {
    const { id } = await addBot(app, teamId);
    const recover = failing(provider, { checkModel: never, putAssistant: never });
    const startedAt = performance.now();
    const { status, body } = await publish(id);
    recover();
    assert.deepEqual([status, body.details.reason], [500, 'provider_unavailable']);
    assert.ok(
      performance.now() - startedAt < 1.3 * providerDeadlineMs,
      `${performance.now() - startedAt} ms`,
    );
  });

  test('records an event when the provider refuses the key', async () => {
    const { id } = await addBot(app, teamId);
    const recover = failing(provider, {
      checkModel: () => Promise.reject(new ProviderError('auth', 'the key is wrong')),
    });
    const { status, body } = await publish(id);
    recover();
    assert.deepEqual([status, body.details.reason], [400, 'provider_misconfigured']);
    const { rows } = await sql<{ reason: string }>`
      select data ->> 'reason' as reason from events
      where type = 'bot.publish_failed' and data ->> 'bot_id' = ${id}`.execute(db);
    assert.deepEqual(rows, [{ reason: 'provider_misconfigured' }]);
  });

  test('creates a version only after a change, which may be empty', async () => {
    const { id } = await addBot(app, teamId);
    await publish(id);
    await publish(id);
    assert.deepEqual(await versionsOf(id), [1]);
    await patch(id, {});
    await publish(id);
    assert.deepEqual(await versionsOf(id), [2, 1]);
  });

  test('creates one version for ten concurrent requests', async () => {
    const { id } = await addBot(app, teamId, hours('At nine.'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => publish(id)));
    for (const { status, body } of answers) assert.deepEqual([status, body.data.published], [200, true]);
    assert.deepEqual(await versionsOf(id), [1]);
  });

  test('makes a draft and its later changes visible to devices', async () => {
    const { id } = await addBot(app, teamId, hours('At nine.'));
    assert.equal(await answering.load(id), null);
    await publish(id);
    assert.match(await answerOf(id), /nine/);
    await patch(id, hours('At ten.'));
    assert.match(await answerOf(id), /nine/);
    await publish(id);
    assert.match(await answerOf(id), /ten/);
  });

  test('reports documents that are not ready and changes nothing', async () => {
    const statuses = ['ready', 'processing', 'failed'] as const;
    const documents = await Promise.all(
      statuses.map(async (provider_status) => {
        const { id } = await addDocument(context, teamId);
        await db.updateTable('documents').set({ provider_status }).where('id', '=', id).execute();
        return id;
      }),
    );
    const { id } = await addBot(app, teamId, { document_ids: documents });
    const { status, body } = await publish(id);
    assert.equal(status, 400);
    assert.deepEqual(body.details, {
      reason: 'documents_not_ready',
      document_ids: [documents[1], documents[2]],
      failed_document_ids: [documents[2]],
    });
    assert.equal(await isPublished(id), false);
    await db
      .updateTable('documents')
      .set({ provider_status: 'ready' })
      .where('id', 'in', documents)
      .execute();
    assert.equal((await publish(id)).status, 200);
  });

  const failures = {
    refuses: () => Promise.reject(new Error('down')),
    hangs: () => new Promise<never>(() => undefined),
    'loses its response': async (call: () => Promise<unknown>) => {
      await call();
      throw new Error('connection reset');
    },
  };
  for (const [what, putAssistant] of Object.entries(failures)) {
    test(`returns 500 and keeps the old version live if the provider ${what}, then works on a retry`, async () => {
      const { id } = await addBot(app, teamId, hours('At nine.'));
      await publish(id);
      await patch(id, hours('At ten.'));
      const recover = failing(provider, { putAssistant });
      const { status, body } = await publish(id);
      recover();
      assert.deepEqual([status, body.details?.reason], [500, 'provider_unavailable']);
      assert.equal(await isPublished(id), false);
      assert.deepEqual(await versionsOf(id), [1]);
      assert.match(await answerOf(id), /nine/);
      assert.equal((await publish(id)).status, 200);
      assert.match(await answerOf(id), /ten/);
    });
  }

  test('returns 404 if the bot is deleted meanwhile and the provider fails because its assistant is gone', async () => {
    const { id } = await addBot(app, teamId);
    const recover = failing(provider, {
      putAssistant: async () => {
        await api('DELETE', `/bots/${id}`);
        throw new Error('There is no assistant');
      },
    });
    const { status, body } = await publish(id);
    recover();
    assert.deepEqual([status, body.details?.reason], [404, 'bot_not_found']);
  });

  test('publishes the draft it began with if the draft is changed meanwhile, and reports the change', async () => {
    const { id } = await addBot(app, teamId, hours('At nine.'));
    const { held, release } = holdPush();
    const publishing = publish(id);
    await held;
    await patch(id, hours('At ten.'));
    release();
    const { status, body } = await publishing;
    assert.deepEqual([status, body.data.published], [200, false]);
    assert.equal(await isPublished(id), false);
    assert.match(await answerOf(id), /nine/);
    assert.deepEqual((await api('GET', `/bots/${id}`)).body.data.questions, hours('At ten.').questions);
  });

  test('keeps a newer published draft when an older publish ends late', async () => {
    const { id } = await addBot(app, teamId, hours('At nine.'));
    const { held, release } = holdPush();
    const late = publish(id);
    await held;
    await patch(id, hours('At ten.'));
    await publish(id);
    release();
    const { status, body } = await late;
    assert.deepEqual([status, body.data.published], [200, true]);
    assert.match(await answerOf(id), /ten/);
    assert.deepEqual(await versionsOf(id), [1]);
  });

  test('does not restore a bot that is deleted meanwhile', async () => {
    const { id } = await addBot(app, teamId);
    const { held, release } = holdPush();
    const publishing = publish(id);
    await held;
    await api('DELETE', `/bots/${id}`);
    release();
    assert.equal((await publishing).status, 404);
    assert.equal(await answering.load(id), null);
  });

  test('leaves a document deleted meanwhile out of the version', async () => {
    const document = await addDocument(context, teamId);
    const { id } = await addBot(app, teamId, { document_ids: [document.id] });
    const { held, release } = holdPush();
    const publishing = publish(id);
    await held;
    await db.deleteFrom('documents').where('id', '=', document.id).execute();
    release();
    assert.equal((await publishing).status, 200);
    const bot = await answering.load(id);
    assert.deepEqual(bot?.withdrawnDocumentRefs, [document.ref]);
    assert.equal(bot?.documents.size, 0);
  });
});

test('withdraws a deleted document from the published version at once, also from a cached one', async () => {
  const document = await addDocument(context, teamId);
  const kept = await addDocument(context, teamId, 'The office is beside the lighthouse.');
  const { id } = await addBot(app, teamId, { document_ids: [document.id, kept.id] });
  await publish(id);
  const question = 'How much is the deposit for a bicycle?';
  assert.match(await answerOf(id, question), /forty/);
  await db.deleteFrom('documents').where('id', '=', document.id).execute();
  assert.doesNotMatch(await answerOf(id, question), /forty/);
  const bot = await answering.load(id);
  assert.deepEqual(bot?.withdrawnDocumentRefs, [document.ref]);
  assert.deepEqual([...(bot?.documents ?? [])], [[kept.ref, { id: kept.id, name: 'rental.txt' }]]);
});
