import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { installJobSchema } from '../../platform/jobs/job-schema.ts';
import { textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { createKnowledge } from './knowledge.ts';

const database = await connectTestDatabase();
const { db, databaseUrl } = database;
const fakes = await startFakeModels();
const workers: ChildProcess[] = [];
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await fakes.stop();
});
const program = fileURLToPath(new URL('../../../test/embedding-worker.ts', import.meta.url));

function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, [program, databaseUrl, 'test', `${fakes.url}/v1`, 'model'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  workers.push(worker);
  return worker;
}

const passages = Array.from({ length: 100 }, (_, n) =>
  `Crane number ${n} lifts up to ${n + 7} tonnes on weekdays, and it is booked three days ahead. `.repeat(14),
);

async function countVectors(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from embedded_provider.passage_vectors`.execute(db);
  return rows[0]?.count ?? 0;
}

test('continues after kill -9 where the killed worker stopped', async () => {
  const tag = { teamId: 'team', objectId: 'document', operation: 'operation' };
  const object = { ref: 'file', installationId: 'test', tag, createdAt: new Date() };
  const { storeDocument } = createKnowledge({ ...database, installationId: 'test' });
  const document = textDocument('cranes.txt', passages.join('\n\n'));
  await storeDocument(object, document, async () => undefined);
  await installJobSchema(databaseUrl, { warn: () => undefined, trace: () => undefined });
  // The second batch hangs, so the worker dies in the middle.
  await fakes.script('model', [{ text: 'Fine.' }, { fault: 'hang' }]);
  const first = startWorker();
  await enqueueJob(db, 'embed-passages', {}, { maxAttempts: 2 });
  await eventually(async () => assert.equal((await fakes.requests('model')).length, 2), 60_000);
  assert.equal(await countVectors(), 32);
  first.kill('SIGKILL');
  await once(first, 'exit');
  startWorker();
  await eventually(async () => assert.equal(await countVectors(), 100), 60_000);
  const sent = (await fakes.requests('model')).map(({ body }) => body.input.length);
  assert.deepEqual(sent, [32, 32, 32, 32, 4]);
});
