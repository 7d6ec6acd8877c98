import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam } from '../../../test/bots.ts';
import { createTestBots } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { openTestContext, startApiOn, type TestContext } from '../../../test/harness.ts';
import {
  hostedEnvironment,
  leavingEnvironment,
  type MovingContext,
  openMovingContext,
  readPlainText,
} from '../../../test/moving.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { askRoutes } from '../../chat/answering/ask.routes.ts';
import { externalCleanupJobs } from '../../lifecycle/external-cleanup/external-cleanup.jobs.ts';
import { scheduleOrphanDeletion } from '../../lifecycle/external-cleanup/orphans.ts';
import { connectDatabase } from '../../platform/database/database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { installJobSchema } from '../../platform/jobs/job-schema.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { createLocalFileStore } from '../../ports/file-store/local.ts';
import { botRoutes } from './bots.routes.ts';
import { describeKnowledgeMove } from './knowledge-place.ts';
import { moveKnowledgeJob } from './move-knowledge.jobs.ts';

const fakes = await startFakeModels();
const baseUrl = `${fakes.url}/v1`;
const dataDir = await mkdtemp(join(tmpdir(), 'parley-moves-'));
const workers: ChildProcess[] = [];
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await fakes.stop();
  await rm(dataDir, { recursive: true, force: true });
});
const { signal } = new AbortController();
const fileStore = createLocalFileStore({ root: dataDir });
const question = 'How high is the deposit for a bicycle?';
const deposit = 'A deposit of forty euros is taken for each bicycle.';

async function createDatabase() {
  const database = await createTestDatabase();
  after(() => database.drop());
  // The databases are copies, but their objects at OpenAI are not the same.
  const { db, close } = connectDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: 'test',
    logger: createLogger('silent'),
  });
  await sql`update installation set id = gen_random_uuid()`.execute(db);
  await close();
  await installJobSchema(database.url, { warn: () => undefined, trace: () => undefined });
  return database.url;
}

/** Serves bots on a context until it is closed. */
async function serve(context: TestContext) {
  const options = { ...context, bots: createTestBots(context), providerDeadlineMs: 20_000 };
  const callAction = async () => ({ result: '', failure: null });
  const app = await startApiOn(context, {
    routes: () => [botRoutes(options), askRoutes({ ...options, callAction: callAction as never })],
  });
  const ask = async (botId: string): Promise<string> => {
    const { body } = await app.api('POST', `/bots/${botId}/ask`, { body: { question } });
    const [answer] = String(body.data?.answer).split('\n');
    return `${answer} ${body.data?.trace.passages[0]?.document_id}`;
  };
  return { ...app, ask };
}

type Served = Awaited<ReturnType<typeof serve>>;

async function addStoredDocument({ context }: Pick<Served, 'context'>, teamId: string, text = deposit) {
  const document = await addDocument(context, teamId, text);
  await context.fileStore.put(`${teamId}/${document.ref}.txt`, Buffer.from(text));
  return document;
}

async function addPublishedBot(app: Served, teamId: string, documentIds: string[]): Promise<string> {
  const { id } = await addBot(app, teamId, { document_ids: documentIds });
  const { status, body } = await app.api('POST', `/bots/${id}/publish`);
  assert.equal(status, 200, JSON.stringify(body));
  return id;
}

const run = (context: MovingContext): Promise<void> =>
  moveKnowledgeJob({
    ...context,
    extractor: readPlainText,
    place: context.config.ASSISTANT_PROVIDER === 'openai-hosted' ? 'openai' : 'database',
  }).run({}, signal);

/** Deletes what nothing refers to, as the hourly sweep does after the grace period. */
async function sweep(context: MovingContext): Promise<void> {
  await sql`update knowledge_moves set moved_at = now() - interval '1 hour' where moved_at is not null`.execute(
    context.db,
  );
  await run(context);
  const clock = { now: () => new Date(Date.now() + 7_200_000) };
  await scheduleOrphanDeletion({ ...context, clock }, signal);
  const [deletion] = externalCleanupJobs({ ...context, clock });
  await deletion?.run({}, signal);
}

async function readDocument({ db }: TestContext, id: string) {
  const { rows } = await sql<{ ref: string; file: string; status: string }>`
    select ai_provider_id as ref, file_key as file, provider_status as status from documents where id = ${id}`.execute(
    db,
  );
  return rows[0] ?? assert.fail('the document is missing');
}

async function countTeamsLeft(context: TestContext): Promise<unknown> {
  const move = await describeKnowledgeMove(context.db, context.config);
  return (move as { teams_left: number } | null)?.teams_left ?? 0;
}

test('moves documents to OpenAI and back, while bots answer by their old provider', async () => {
  const url = await createDatabase();
  const first = await openTestContext(url, { replacements: { fileStore } });
  const before = await serve(first);
  const teamId = await addTeam(first);
  const document = await addStoredDocument(before, teamId);
  const botId = await addPublishedBot(before, teamId, [document.id]);
  const right = `${deposit} ${document.id}`;
  assert.equal(await before.ask(botId), right);

  const hosted = await openMovingContext(url, fileStore, hostedEnvironment(baseUrl));
  const during = await serve(hosted);
  await run(hosted);
  assert.equal((await fakes.requests('POST /v1/files')).length, 0, 'a process with the old provider runs');
  await first.close();
  assert.equal(await during.ask(botId), right);
  const late = await addStoredDocument(during, teamId, 'The workshop is closed on Mondays.');
  assert.match(late.ref, /^file_/, 'new documents are with the others of the team');

  await fakes.failFiles('POST /v1/vector_stores/*/files', {
    kind: 'error',
    status: 401,
    code: 'invalid_api_key',
  });
  await run(hosted);
  assert.equal(await countTeamsLeft(hosted), 1);
  assert.match(JSON.stringify(await describeKnowledgeMove(hosted.db, hosted.config)), /Try again/);
  const waiting = await addStoredDocument(during, teamId, 'Bells are free.');
  assert.match(waiting.ref, /^file_/, 'new documents are with the others of a team that waits');
  assert.equal(await during.ask(botId), right);
  await run(hosted);
  assert.equal(await countTeamsLeft(hosted), 0);
  const moved = await readDocument(hosted, document.id);
  assert.match(moved.ref, /^file-/);
  assert.deepEqual([moved.file, moved.status], [`${teamId}/${moved.ref}.txt`, 'ready']);
  assert.equal(Buffer.from((await fileStore.get(moved.file)) ?? []).toString(), deposit);
  assert.equal(await during.ask(botId), right);
  assert.equal((await fakes.requests('POST /v1/files')).length, 3);
  await sweep(hosted);
  assert.equal(await fileStore.get(`${teamId}/${document.ref}.txt`), null);
  await hosted.close();
  const settled = await openTestContext(url, {
    environment: hostedEnvironment(baseUrl),
    replacements: { fileStore },
  });
  assert.equal(settled.places, null, 'nothing is left in the database');
  await settled.close();

  const leaving = await openMovingContext(url, fileStore, leavingEnvironment(baseUrl));
  const back = await serve(leaving);
  assert.equal(await back.ask(botId), right);
  await run(leaving);
  assert.match((await readDocument(leaving, document.id)).ref, /^file_/);
  assert.equal(await back.ask(botId), right);
  const { body } = await back.api('POST', `/bots/${botId}/publish`);
  assert.equal(body.data?.published, true);
  await sweep(leaving);
  assert.equal(await describeKnowledgeMove(leaving.db, leaving.config), null, 'nothing is left at OpenAI');
  assert.equal(await back.ask(botId), right);
  await leaving.close();
});

test('turns back in the middle of a move', async () => {
  const url = await createDatabase();
  const first = await openTestContext(url, { replacements: { fileStore } });
  const before = await serve(first);
  const bots: { botId: string; right: string }[] = [];
  for (let n = 0; n < 2; n += 1) {
    const teamId = await addTeam(first);
    const { id } = await addStoredDocument(before, teamId);
    bots.push({ botId: await addPublishedBot(before, teamId, [id]), right: `${deposit} ${id}` });
  }
  await first.close();
  const hosted = await openMovingContext(url, fileStore, hostedEnvironment(baseUrl));
  await fakes.failFiles('POST /v1/files', { kind: 'error', status: 401, code: 'invalid_api_key' });
  await run(hosted);
  assert.equal(await countTeamsLeft(hosted), 1);
  const during = await serve(hosted);
  for (const { botId, right } of bots) assert.equal(await during.ask(botId), right);
  await hosted.close();

  const leaving = await openMovingContext(url, fileStore, leavingEnvironment(baseUrl));
  const back = await serve(leaving);
  for (const { botId, right } of bots) assert.equal(await back.ask(botId), right);
  await run(leaving);
  assert.equal(await countTeamsLeft(leaving), 0);
  await sweep(leaving);
  for (const { botId, right } of bots) assert.equal(await back.ask(botId), right);
  await leaving.close();
});

test('publishes again if the documents of the team move meanwhile', async () => {
  const url = await createDatabase();
  const first = await openTestContext(url, { replacements: { fileStore } });
  const before = await serve(first);
  const teamId = await addTeam(first);
  const { id } = await addStoredDocument(before, teamId);
  const botId = await addPublishedBot(before, teamId, []);
  await before.api('PATCH', `/bots/${botId}`, { body: { document_ids: [id] } });
  await first.close();
  const hosted = await openMovingContext(url, fileStore, hostedEnvironment(baseUrl));
  let moved: Promise<void> | undefined;
  const provider = {
    ...hosted.provider,
    putAssistant: async (...args: Parameters<typeof hosted.provider.putAssistant>) => {
      const put = await hosted.provider.putAssistant(...args);
      moved ??= run(hosted);
      await moved;
      return put;
    },
  };
  const during = await serve({ ...hosted, provider });
  const { status } = await during.api('POST', `/bots/${botId}/publish`);
  assert.equal(status, 200);
  assert.equal(await countTeamsLeft(hosted), 0);
  assert.equal(await during.ask(botId), `${deposit} ${id}`);
  await hosted.close();
});

function startWorker(url: string): ChildProcess {
  const program = fileURLToPath(new URL('../../../test/move-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [program, url, dataDir, baseUrl], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  workers.push(worker);
  return worker;
}

test('continues after kill -9, and creates nothing twice', async () => {
  const url = await createDatabase();
  const first = await openTestContext(url, { replacements: { fileStore } });
  const before = await serve(first);
  const teamId = await addTeam(first);
  const documents = [await addStoredDocument(before, teamId)];
  for (const text of ['Helmets are free.', 'The workshop is closed on Mondays.'])
    documents.push(await addStoredDocument(before, teamId, text));
  const botId = await addPublishedBot(
    before,
    teamId,
    documents.map(({ id }) => id),
  );
  const right = `${deposit} ${documents[0]?.id}`;
  await first.close();
  const hosted = await openMovingContext(url, fileStore, hostedEnvironment(baseUrl));
  const during = await serve(hosted);
  const listRefs = async () => {
    const refs: string[] = [];
    for await (const { ref } of hosted.places.openai.listOwned(signal)) refs.push(ref);
    return refs.filter((ref) => !ref.startsWith('asst')).length;
  };
  await enqueueJob(hosted.db, 'move-knowledge', {}, { maxAttempts: 10 });
  for (const route of ['POST /v1/files', 'POST /v1/vector_stores', 'POST /v1/vector_stores/*/files']) {
    const earlier = (await fakes.requests(route)).length;
    await fakes.failFiles(route, { kind: 'hold reply' });
    const worker = startWorker(url);
    await eventually(
      async () => assert.equal((await fakes.requests(route)).length > earlier, true, route),
      120_000,
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    assert.equal(await during.ask(botId), right, 'the bot answers by its old provider');
  }
  startWorker(url);
  await eventually(async () => assert.equal(await countTeamsLeft(hosted), 0), 120_000);
  assert.equal(await during.ask(botId), right);
  assert.equal(await listRefs(), 4, 'three files and a vector store');
  await hosted.close();
});
