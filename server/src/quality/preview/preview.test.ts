import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addDocument, addTeam } from '../../../test/bots.ts';
import { startChatApp } from '../../../test/chats.ts';

const app = await startChatApp();
const { db } = app.context;
app.startAnswering();

const published = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };
const drafted = { ...published, answer: 'A tandem costs 50 euros a day.' };
const tester = '+15550195001';
const other = '+15550195002';

test('only listed contacts get the draft, and the trace names its state', async () => {
  const device = await app.addDevice({ questions: [published] });
  const { botId } = device;
  await app.api('PATCH', `/bots/${botId}`, { body: { questions: [drafted] } });
  const set = (numbers: string[], token?: string) =>
    app.api('POST', `/bots/${botId}/preview`, {
      body: { numbers },
      ...(token === undefined ? {} : { token }),
    });
  const { status, body } = await set([tester.slice(1), tester]);
  assert.deepEqual([status, body.data.numbers], [200, [tester]]);
  assert.deepEqual((await app.api('GET', `/bots/${botId}/preview`)).body.data.numbers, [tester]);
  for (const contact of [tester, other]) await app.write(device, contact, published.question);
  assert.deepEqual(await app.untilReplied(device, tester), [drafted.answer]);
  assert.deepEqual(await app.untilReplied(device, other), [published.answer]);
  const answerTo = async (contact: string) => {
    const { rows } = await sql<{ id: string }>`
      select id from messages
      where device_id = ${device.deviceId} and contact_number = ${contact} and direction = 'out'`.execute(db);
    return (await app.api('GET', `/messages/${rows[0]?.id}/answer`)).body.data;
  };
  const { rows } = await sql<{ draft_revision: number; live_version: number }>`
    select draft_revision, live_version from bots where id = ${botId}`.execute(db);
  const [first, second] = [await answerTo(tester), await answerTo(other)];
  assert.deepEqual([first.version, first.trace.draft_revision], [0, rows[0]?.draft_revision]);
  assert.deepEqual([second.version, second.trace.draft_revision], [rows[0]?.live_version, undefined]);
  assert.equal((await app.api('GET', `/bots/${botId}`)).body.data.published, false);
  assert.equal((await app.api('GET', `/bots/${botId}/analytics`)).body.data.sum.questions, 1);

  await set([]);
  await app.write(device, tester, published.question);
  assert.equal((await app.untilReplied(device, tester, 2)).at(-1), published.answer);

  assert.equal((await set(['nobody'])).status, 400);
  assert.equal((await set(Array.from({ length: 21 }, (_, n) => `+155501960${n + 10}`))).status, 400);
  const foreign = await app.issueKey({ teamId: await addTeam(app.context) });
  assert.equal((await set([tester], foreign.token)).status, 404);
  const viewer = await app.issueKey({ teamId: device.teamId, role: 'viewer' });
  assert.equal((await set([tester], viewer.token)).status, 403);
});

test('a tester gets the published version while the draft cannot answer', async () => {
  const device = await app.addDevice({ questions: [published] });
  const document = await addDocument(app.context, device.teamId);
  await app.api('PATCH', `/bots/${device.botId}`, {
    body: { questions: [drafted], document_ids: [document.id] },
  });
  await sql`update documents set provider_status = 'processing' where id = ${document.id}`.execute(db);
  await app.api('POST', `/bots/${device.botId}/preview`, { body: { numbers: [tester] } });
  await app.write(device, tester, published.question);
  assert.deepEqual(await app.untilReplied(device, tester), [published.answer]);
});
