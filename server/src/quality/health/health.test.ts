import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addDocument, addTeam } from '../../../test/bots.ts';
import { startChatApp } from '../../../test/chats.ts';

const app = await startChatApp();
const { db } = app.context;
app.startAnswering();

const tandem = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };
const again = { question: 'How much is a tandem', answer: 'A tandem costs 45 euros a day.' };
const opening = { question: 'When do you open?', answer: 'We open at nine.' };
const same = { question: 'when do you OPEN?', answer: 'At nine, every day.' };

test('finds duplicates, contradictions, stale and unused content, and what depends on it', async () => {
  const device = await app.addDevice({ questions: [tandem, again, opening, same] });
  const { botId, teamId } = device;
  const fresh = await addDocument(app.context, teamId);
  const stale = await addDocument(app.context, teamId);
  await sql`update documents set created_at = now() - interval '2 years' where id = ${stale.id}`.execute(db);
  await sql`
    update embedded_provider.documents d set latest_year = case when f.id = ${fresh.id} then 2099 end
    from documents f where f.ai_provider_id = d.ref and f.team_id = ${teamId}`.execute(db);
  await app.api('PATCH', `/bots/${botId}`, { body: { document_ids: [fresh.id, stale.id] } });
  const { body } = await app.api('POST', `/bots/${botId}/cases`, {
    body: {
      messages: [{ role: 'contact', text: 'Open?' }],
      checks: [
        { kind: 'cites_pair', question: opening.question },
        { kind: 'cites_document', document_id: stale.id },
      ],
    },
  });
  const contact = '+15550196001';
  await app.write(device, contact, opening.question);
  await app.untilReplied(device, contact);
  const health = (await app.api('GET', `/bots/${botId}/health`)).body.data;
  assert.equal(health.answers_read, 1);
  assert.deepEqual(
    health.duplicates.map(({ questions }: { questions: string[] }) => questions.toSorted()).toSorted(),
    [[again.question, tandem.question], [opening.question, same.question].toSorted()],
  );
  assert.deepEqual(health.contradictions.length, 1);
  assert.deepEqual(health.contradictions[0].numbers.toSorted(), [['40'], ['45']]);
  const answered = health.pairs.find(({ unused }: { unused: boolean }) => !unused);
  assert.deepEqual(
    [normalized(answered.question), answered.answers, health.pairs.at(-1)],
    [normalized(opening.question), 1, answered],
  );
  const needed = health.pairs.filter(({ case_ids }: { case_ids: string[] }) => case_ids.length > 0);
  assert.deepEqual(
    needed.map(({ question, case_ids }: { question: string; case_ids: string[] }) => [
      normalized(question),
      case_ids,
    ]),
    [same, opening].map(() => [normalized(opening.question), [body.data.id]]),
  );
  const byId = new Map(health.documents.map((each: { document_id: string }) => [each.document_id, each]));
  const { name: _, created_at: __, ...old } = byId.get(stale.id) as Record<string, unknown>;
  assert.deepEqual(old, {
    document_id: stale.id,
    latest_year: null,
    stale: true,
    unused: true,
    answers: 0,
    case_ids: [body.data.id],
  });
  assert.equal((byId.get(fresh.id) as { stale: boolean }).stale, false);
  const { token } = await app.issueKey({ teamId: await addTeam(app.context) });
  assert.equal((await app.api('GET', `/bots/${botId}/health`, { token })).status, 404);
});

test('counts no answers for a pair whose question names a member of every object', async () => {
  const { botId } = await app.addDevice({
    questions: [{ question: 'constructor', answer: 'We build bikes.' }],
  });
  const { status, body } = await app.api('GET', `/bots/${botId}/health`);
  assert.equal(status, 200);
  assert.deepEqual(body.data.pairs, [{ question: 'constructor', unused: true, answers: 0, case_ids: [] }]);
});

const normalized = (question: string): string => question.toLowerCase();
