import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestContext } from '../../../test/harness.ts';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { startJobRunner } from '../../platform/jobs/runner.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { ExternalObject } from '../../records/external-deletions/external-deletions.sql.ts';
import {
  deletionJob,
  orphanJob,
  scheduleDeletion,
} from '../../records/external-deletions/external-deletions.ts';
import { externalCleanupJobs } from './external-cleanup.jobs.ts';

const { db, provider, fileStore, clock, databaseUrl, logger, metrics } = await startTestContext();
const { signal } = new AbortController();

/** Replaces the provider's deletion in one test. */
let deleteDocument: AssistantProvider['deleteDocument'] | null = null;
/** Seconds by which a column with millisecond precision may round up a time. */
const rounding = 0.001;
/** Offset of the orphan sweep's clock. */
let aheadMs = 0;
beforeEach(async () => {
  deleteDocument = null;
  aheadMs = 0;
  await sql`delete from tombstones`.execute(db);
});
const jobs = externalCleanupJobs({
  db,
  fileStore,
  logger,
  clock: { now: () => new Date(clock.now().getTime() + aheadMs) },
  provider: {
    ...provider,
    deleteDocument: (...call) => (deleteDocument ?? provider.deleteDocument)(...call),
  },
});
const run = (name: string, until = signal) =>
  jobs.find((job) => job.name === name)?.run({}, until) ?? assert.fail(`there is no job ${name}`);

const teamId = newId();
const tagOf = (objectId: string) => ({ teamId, objectId, operation: newId() });
const textOf = (text: string) => ({
  name: 'a.txt',
  type: 'txt' as const,
  bytes: Buffer.from(text),
  sections: [{ page: null, heading: null, text }],
});
const spec = {
  name: 'Desk',
  identificationName: '',
  instructions: '',
  temperature: 0,
  modelLevel: 1 as const,
  questions: [],
  tools: [],
};

const scheduleAll = (...objects: Omit<ExternalObject, 'teamId'>[]) =>
  db.transaction().execute((tx) =>
    scheduleDeletion(
      tx,
      objects.map((object) => ({ teamId, ...object })),
    ),
  );

async function ownedRefs(): Promise<string[]> {
  const refs: string[] = [];
  for await (const { ref } of provider.listOwned(signal)) refs.push(ref);
  return refs.sort();
}

const scheduled = async () => {
  const { rows } = await sql<{
    kind: string;
    ref: string;
    attempts: number;
    last_error: string | null;
    wait: number;
  }>`
    select kind, ref, attempts, last_error, extract(epoch from next_attempt_at - now())::float as wait
    from tombstones order by kind, ref`.execute(db);
  return rows;
};

test('deletes scheduled objects and their rows', async () => {
  const { ref: storeRef } = await provider.putKnowledge(tagOf(newId()), signal);
  const document = await provider.putDocument(tagOf(newId()), textOf('Bicycles'), signal);
  const assistant = await provider.putAssistant(
    tagOf(newId()),
    null,
    { ...spec, knowledge: { storeRef, documentRefs: [document.ref] } },
    signal,
  );
  await fileStore.put(`${teamId}/a.txt`, Buffer.from('Bicycles'));
  await scheduleAll(
    { kind: 'assistant', ref: assistant.ref },
    { kind: 'knowledge', ref: storeRef },
    { kind: 'document', ref: document.ref },
    { kind: 'file', ref: `${teamId}/a.txt` },
    { kind: 'file', ref: `${teamId}/never-was.txt` },
  );
  await run(deletionJob);
  assert.deepEqual(await ownedRefs(), []);
  assert.equal(await fileStore.exists(`${teamId}/a.txt`), false);
  assert.deepEqual(await scheduled(), []);
});

test('schedules nothing if the transaction rolls back', async () => {
  const undone = db.transaction().execute(async (tx) => {
    await scheduleDeletion(tx, [{ teamId, kind: 'file', ref: 'a' }]);
    throw new Error('changed my mind');
  });
  await assert.rejects(undone, { message: 'changed my mind' });
  assert.deepEqual(await scheduled(), []);
});

test('backs off failing deletions without delaying others', async () => {
  await fileStore.put(`${teamId}/b.txt`, Buffer.from('b'));
  await scheduleAll({ kind: 'document', ref: 'file_stuck' }, { kind: 'file', ref: `${teamId}/b.txt` });
  deleteDocument = () => Promise.reject(new Error('rate limited'));
  await run(deletionJob);
  const [first, ...others] = await scheduled();
  assert.deepEqual(others, []);
  assert.deepEqual([first?.attempts, first?.last_error], [1, 'Error: rate limited']);
  assert.ok(first !== undefined && first.wait > 0 && first.wait <= 4 + rounding);
  await sql`update tombstones set next_attempt_at = now() - interval '1 second', attempts = 9`.execute(db);
  await run(deletionJob);
  const [later] = await scheduled();
  assert.ok(later !== undefined && later.wait > 500 && later.wait <= 2048 + rounding);
  deleteDocument = null;
  await run(deletionJob);
  assert.equal((await scheduled()).length, 1, 'the retry is not due yet');
  await sql`update tombstones set next_attempt_at = now() - interval '1 second'`.execute(db);
  await run(deletionJob);
  assert.deepEqual(await scheduled(), []);
});

test('shares the deletions between two workers', async () => {
  const removed: string[] = [];
  deleteDocument = async (ref) => void removed.push(ref);
  const refs = Array.from({ length: 100 }, (_, index) => `file_${String(index).padStart(3, '0')}`);
  await scheduleAll(...refs.map((ref) => ({ kind: 'document' as const, ref })));
  await Promise.all([run(deletionJob), run(deletionJob)]);
  assert.deepEqual(removed.sort(), refs);
  assert.deepEqual(await scheduled(), []);
});

test('aborts a hanging deletion when the worker stops, and retries it', async () => {
  const stopping = new AbortController();
  deleteDocument = () => {
    stopping.abort(new Error('stopping'));
    return new Promise(() => undefined);
  };
  await scheduleAll({ kind: 'document', ref: 'file_hanging' });
  await run(deletionJob, stopping.signal);
  assert.deepEqual(
    (await scheduled()).map(({ last_error }) => last_error),
    ['Error: stopping'],
  );
});

test('finds an object with a lost ref by its tag, after the time for late calls', async () => {
  const [objectId, other] = [newId(), newId()];
  await provider.putKnowledge(tagOf(objectId), signal);
  await provider.putDocument(tagOf(objectId), textOf('one'), signal);
  const kept = await provider.putDocument(tagOf(other), textOf('one'), signal);
  await scheduleAll({ kind: 'tagged', ref: objectId });
  await run(deletionJob);
  assert.equal((await ownedRefs()).length, 3);
  await sql`update tombstones set next_attempt_at = now() - interval '1 second'`.execute(db);
  await run(deletionJob);
  assert.deepEqual(await ownedRefs(), [kept.ref]);
  await provider.deleteDocument(kept.ref, signal);
});

test('purges messages, conversations, answers and model calls of deleted teams only', async () => {
  const [gone, stays] = [newId(), newId()];
  for (const team of [gone, stays]) {
    await sql`
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
      select gen_random_uuid(), ${team}, ${newId()}, '+15550100', 'in', 'contact', 'text', 'hi', n::text, 'received'
      from generate_series(1, 12000) as n`.execute(db);
    await sql`
      insert into message_media (message_id, position, kind, mime_type, bytes)
      select id, 0, 'image', 'image/png', '\\x00' from messages where team_id = ${team} limit 100`.execute(
      db,
    );
    await sql`
      insert into conversations (id, team_id, device_id, contact_number)
      values (gen_random_uuid(), ${team}, ${newId()}, '+15550100')`.execute(db);
    await sql`
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      values (gen_random_uuid(), ${team}, ${newId()}, 1, ${newId()}, '+15550100', true, 1, '{}')`.execute(db);
    await sql`insert into model_calls (team_id, purpose, provider, model) values (${team}, 'question', 'p', 'm')`.execute(
      db,
    );
  }
  await scheduleAll({ kind: 'team_rows', ref: gone });
  await run(deletionJob);
  const { rows } = await sql`
    select (select count(*) from messages) as messages, (select count(*) from message_media) as media,
           (select count(*) from conversations) as conversations, (select count(*) from answers) as answers,
           (select count(*) from model_calls) as calls,
           (select count(*) from messages where team_id = ${gone}) as left`.execute(db);
  assert.deepEqual(rows, [{ messages: 12000, media: 100, conversations: 1, answers: 1, calls: 1, left: 0 }]);
  assert.deepEqual(await scheduled(), []);
});

test('leaves sessions to the pools', async () => {
  await scheduleAll({ kind: 'session', ref: newId() });
  await run(deletionJob);
  assert.deepEqual(
    (await scheduled()).map(({ kind, attempts }) => [kind, attempts]),
    [['session', 0]],
  );
});

test('wakes a worker when a deletion is scheduled', async () => {
  await fileStore.put(`${teamId}/c.txt`, Buffer.from('c'));
  const runner = await startJobRunner({
    databaseUrl,
    db,
    jobs,
    logger,
    meters: metrics.jobs,
    concurrency: 1,
  });
  try {
    await scheduleAll({ kind: 'file', ref: `${teamId}/c.txt` });
    await eventually(async () => assert.deepEqual(await scheduled(), []));
    assert.equal(await fileStore.exists(`${teamId}/c.txt`), false);
  } finally {
    await runner.stop();
  }
});

test('schedules the deletion of orphans after the grace period, and of no other objects', async () => {
  const created = await createTeam();
  const known = await knownDocument(created);
  const tag = { teamId: created, objectId: newId(), operation: 'orphans' };
  const orphan = await provider.putDocument(tag, textOf('orphan'), signal);
  const twin = await provider.putDocument({ ...tag, objectId: known.id }, textOf('twin'), signal);
  const store = await provider.putKnowledge(tag, signal);
  const staged = `staged/${created}/${newId()}`;
  const lost = `${created}/file_lost.txt`;
  for (const key of [staged, lost, known.fileKey, 'else/where.txt'])
    await fileStore.put(key, Buffer.from('x'));

  await run(orphanJob);
  const files = [
    { kind: 'file', ref: lost },
    { kind: 'file', ref: staged },
  ];
  const scheduledRefs = async () => (await scheduled()).map(({ kind, ref }) => ({ kind, ref }));
  assert.deepEqual(await scheduledRefs(), files);
  aheadMs = 61 * 60 * 1000;
  await run(orphanJob);
  await run(orphanJob);
  const documents = [orphan.ref, twin.ref].sort().map((ref) => ({ kind: 'document', ref }));
  assert.deepEqual(await scheduledRefs(), [...documents, ...files, { kind: 'knowledge', ref: store.ref }]);
  await run(deletionJob);
  assert.deepEqual(await ownedRefs(), [known.ref]);
  const left: string[] = [];
  for await (const key of fileStore.list('')) left.push(key);
  assert.deepEqual(left, ['else/where.txt', known.fileKey].sort());
});

test('does not treat objects of running uploads and creations as orphans', async () => {
  const created = await createTeam();
  const [uploading, creating] = [newId(), newId()];
  await sql`
    insert into documents (id, team_id, state, name, type, size, chars, charged_characters)
    values (${uploading}, ${created}, 'uploading', 'a.txt', 'txt', 1, 1, 1)`.execute(db);
  await sql`
    insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                      chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                      break_lines, questions)
    values (${creating}, ${created}, 'creating', 'Bot', '', '', '', '', 0, 1, false, false, false, false, false, '[]')`.execute(
    db,
  );
  await provider.putDocument({ ...tagOf(uploading), teamId: created }, textOf('under way'), signal);
  await provider.putKnowledge({ ...tagOf(creating), teamId: created }, signal);
  await fileStore.put(`staged/${created}/${uploading}`, Buffer.from('x'));
  aheadMs = 61 * 60 * 1000;
  await run(orphanJob);
  assert.deepEqual(await scheduled(), []);
});

async function createTeam(): Promise<string> {
  const id = newId();
  await sql`insert into teams (id, name, plan_name, paying) values (${id}, 'Harbour', 'pro', true)`.execute(
    db,
  );
  return id;
}

async function knownDocument(team: string): Promise<{ id: string; ref: string; fileKey: string }> {
  const id = newId();
  const { ref } = await provider.putDocument({ ...tagOf(id), teamId: team }, textOf('known'), signal);
  const fileKey = `${team}/${ref}.txt`;
  await sql`
    insert into documents (id, team_id, state, name, type, size, chars, charged_characters, ai_provider_id, file_key)
    values (${id}, ${team}, 'live', 'a.txt', 'txt', 1, 1, 1, ${ref}, ${fileKey})`.execute(db);
  return { id, ref, fileKey };
}
