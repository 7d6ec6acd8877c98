import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam } from '../../../test/bots.ts';
import { startChatApp } from '../../../test/chats.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { scheduleOrphanDeletion } from '../../lifecycle/external-cleanup/orphans.ts';
import { newId } from '../../platform/shared/ids.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const app = await startChatApp({
  environment: {
    ASSISTANT_PROVIDER: 'openai-hosted',
    MODEL_API_KEY: 'sk-test',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: 'quoting',
    MODEL_FALLBACK: 'none',
  },
});
const { api, context } = app;
const { signal } = new AbortController();
const teamId = await addTeam(context);

test('publishes a bot with its documents at OpenAI, and answers from them until they are deleted', async () => {
  const document = await addDocument(context, teamId);
  const bot = await addBot(app, teamId, { document_ids: [document.id] });
  const question = 'How high is the deposit for a bicycle?';
  const published = await api('POST', `/bots/${bot.id}/publish`);
  assert.equal(published.status, 200, JSON.stringify(published.body));
  const { body } = await api('POST', `/bots/${bot.id}/ask`, { body: { question } });
  assert.equal(body.data.answered, true);
  assert.match(body.data.answer, /forty euros/);
  assert.equal(body.data.trace.passages[0].document_id, document.id);
  const { body: got } = await api('GET', `/bots/${bot.id}`);
  assert.match(got.data.vector_id, /^vs_/);
  await sql`delete from documents where id = ${document.id}`.execute(context.db);
  const later = await api('POST', `/bots/${bot.id}/ask`, { body: { question } });
  assert.equal(later.body.data.answered, false);
});

test('schedules the deletion of objects at OpenAI that nothing refers to, and of no others', async () => {
  const used = await addBot(app, teamId);
  const tag = { teamId, objectId: newId(), operation: newId() };
  const orphan = await context.provider.putKnowledge(tag, signal);
  const inTwoHours = { now: () => new Date(Date.now() + 7_200_000) };
  await scheduleOrphanDeletion({ ...context, clock: inTwoHours }, signal);
  const { rows } = await sql<{ ref: string }>`select ref from tombstones where kind = 'knowledge'`.execute(
    context.db,
  );
  const refs = rows.map(({ ref }) => ref);
  assert.ok(refs.includes(orphan.ref));
  const { body } = await api('GET', `/bots/${used.id}`);
  assert.equal(refs.includes(body.data.vector_id), false);
});
