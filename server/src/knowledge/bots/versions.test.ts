import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam, startBotsApp } from '../../../test/bots.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startBotsApp();
const { api, context } = app;
const teamId = await addTeam(context);

const publish = (id: string) => api('POST', `/bots/${id}/publish`);
const restore = (id: string, version: number | string) =>
  api('POST', `/bots/${id}/versions/${version}/restore`);
const get = async (id: string) => (await api('GET', `/bots/${id}`)).body.data;

const rich = {
  name: 'Desk',
  role: 'seller',
  description: 'First',
  instructions: 'Be brief.',
  identification_name: 'Ada',
  temperature: 1.5,
  chat_model_level: 2,
  allow_human: true,
  use_audio_responses: true,
  allow_user_audio_requests: true,
  capture_payments: true,
  break_lines: true,
  purpose: 'orders and repairs',
  disclosure: { mode: 'every_conversation', texts: { en: 'A robot.' } },
  questions: [{ question: 'q', answer: 'a' }],
  actions: [{ name: 'Order', endpoint: 'https://example.com/', headers: { 'X-Key': 'secret' } }],
};

test('lists versions in pages, newest first, and marks the live one', async () => {
  const document = await addDocument(context, teamId);
  const { id } = await addBot(app, teamId, { ...rich, document_ids: [document.id] });
  assert.deepEqual((await api('GET', `/bots/${id}/versions`)).body.data, []);
  await publish(id);
  await api('PATCH', `/bots/${id}`, { body: { name: 'Till', questions: [], actions: [], document_ids: [] } });
  await publish(id);
  const { body } = await api('GET', `/bots/${id}/versions`);
  const shown = body.data.map(({ published_at, ...version }: { published_at: string }) => {
    assert.ok(published_at);
    return version;
  });
  assert.deepEqual(shown, [
    { version: 2, live: true, name: 'Till', questions: 0, actions: 0, document_ids: [] },
    { version: 1, live: false, name: 'Desk', questions: 1, actions: 1, document_ids: [document.id] },
  ]);
  assert.deepEqual(body.meta, { page: 1, limit: 20, total: 2, totalPages: 1 });
  const second = await api('GET', `/bots/${id}/versions?limit=1&page=2`);
  assert.equal(second.body.data[0].version, 1);
});

test('returns the content of a version, whatever the draft has become', async () => {
  const document = await addDocument(context, teamId);
  const { id } = await addBot(app, teamId, { ...rich, document_ids: [document.id] });
  await publish(id);
  const { name, questions, actions, documents, ...settings } = await get(id);
  await api('PATCH', `/bots/${id}`, { body: { name: 'Till', questions: [], actions: [], document_ids: [] } });
  const { body } = await api('GET', `/bots/${id}/versions/1`);
  const { published_at, ...version } = body.data;
  assert.ok(published_at);
  assert.deepEqual(
    { ...settings, ...version },
    { ...settings, name, questions, actions, version: 1, live: true, document_ids: [document.id] },
  );
  assert.equal(documents.length, 1);
  for (const unknown of ['2', '0', 'x', '1.5'])
    assert.equal(
      (await api('GET', `/bots/${id}/versions/${unknown}`)).body.details.reason,
      'bot_version_not_found',
    );
  const { token } = await app.issueKey({ teamId: await addTeam(context) });
  assert.equal((await api('GET', `/bots/${id}/versions/1`, { token })).body.details.reason, 'bot_not_found');
});

test('orders versions by publication time, also when a publish had to wait', async () => {
  const { db } = context;
  const { id } = await addBot(app, teamId);
  await publish(id);
  await api('PATCH', `/bots/${id}`, { body: { name: 'Till' } });
  const publishing = await db.transaction().execute(async (tx) => {
    await sql`select from bots where id = ${id} for update`.execute(tx);
    const waiting = publish(id);
    await waitForLockWaiter(db, 'bots');
    // Simulates a publish that held the lock on the bot until now.
    await sql`update bot_versions set published_at = clock_timestamp() where bot_id = ${id}`.execute(tx);
    return { waiting };
  });
  assert.equal((await publishing.waiting).status, 200);
  const listed = async (): Promise<{ version: number; published_at: string }[]> =>
    (await api('GET', `/bots/${id}/versions`)).body.data;
  const [second, first] = await listed();
  assert.deepEqual([second?.version, first?.version], [2, 1]);
  assert.ok(second && first && second.published_at >= first.published_at, JSON.stringify({ second, first }));
  await sql`
    update bot_versions set published_at = published_at + interval '1 hour' where bot_id = ${id} and version = 1`.execute(
    db,
  );
  assert.deepEqual(
    (await listed()).map(({ version }) => version),
    [1, 2],
  );
});

test('restores the draft from a version, action ids included', async () => {
  const documents = [await addDocument(context, teamId), await addDocument(context, teamId)];
  const { id } = await addBot(app, teamId, {
    ...rich,
    document_ids: documents.map((document) => document.id),
  });
  await publish(id);
  const before = await get(id);
  await api('PATCH', `/bots/${id}`, {
    body: {
      ...rich,
      role: undefined,
      name: 'Till',
      questions: [],
      actions: [],
      document_ids: [],
      temperature: 0,
    },
  });
  const { status, body } = await restore(id, 1);
  assert.equal(status, 200);
  assert.equal(body.data.name, 'Desk');
  const after = await get(id);
  assert.deepEqual({ ...after, updated_at: '' }, { ...before, published: false, updated_at: '' });
  assert.equal((await publish(id)).body.data.published, true);
});

test('restores a version without documents deleted since', async () => {
  const gone = await addDocument(context, teamId);
  const kept = await addDocument(context, teamId);
  const { id } = await addBot(app, teamId, { document_ids: [gone.id, kept.id] });
  await publish(id);
  await api('PATCH', `/bots/${id}`, { body: { document_ids: [] } });
  await context.db.deleteFrom('documents').where('id', '=', gone.id).execute();
  await restore(id, 1);
  assert.deepEqual((await get(id)).documents, [{ document_id: kept.id, bot_id: id }]);
});

test('returns 404 for an unknown version', async () => {
  const { id } = await addBot(app, teamId);
  await publish(id);
  for (const version of ['2', '0', '-1', '01', '1.0', 'x', '99999999999999999999']) {
    const { status, body } = await restore(id, version);
    assert.deepEqual([status, body.details?.reason], [404, 'bot_version_not_found'], version);
  }
  assert.equal((await restore(newId(), 1)).body.details?.reason, 'bot_not_found');
  assert.equal((await get(id)).published, true);
});

test('a bot keeps, removes and restores what it is for and how it says that a machine answers', async () => {
  const { id } = await addBot(app, teamId, { name: 'Desk', purpose: 'orders' });
  const policy = async () => {
    const { purpose, disclosure } = await get(id);
    return { purpose, disclosure };
  };
  const patch = (body: object) => api('PATCH', `/bots/${id}`, { body });
  assert.deepEqual(await policy(), { purpose: 'orders', disclosure: undefined });
  await publish(id);
  await patch({ purpose: null, disclosure: { mode: 'off', reason: 'Internal use' } });
  assert.deepEqual(await policy(), {
    purpose: undefined,
    disclosure: { mode: 'off', reason: 'Internal use' },
  });
  await patch({ name: 'Till' });
  assert.equal((await policy()).disclosure.mode, 'off');
  await restore(id, 1);
  assert.deepEqual(await policy(), { purpose: 'orders', disclosure: undefined });
  for (const [body, path] of [
    [{ disclosure: { mode: 'off' } }, 'disclosure.reason'],
    [{ purpose: ' ' }, 'purpose'],
    [{ purpose: 'x'.repeat(301) }, 'purpose'],
  ] as const) {
    const { status, body: refused } = await patch(body);
    assert.deepEqual([status, refused.details.issues[0].path], [400, path]);
  }
});
