import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../../test/eventually.ts';
import { startFakeModels } from '../../../../test/fake-models/fake-models.ts';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';
import { createHostedObjects } from './hosted-objects.ts';
import { createOpenAIClient } from './hosted-provider.ts';

const { db, databaseUrl } = await connectTestDatabase();
const fakes = await startFakeModels();
const workers: ChildProcess[] = [];
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await fakes.stop();
});
const program = fileURLToPath(new URL('../../../../test/hosted-put-worker.ts', import.meta.url));
const baseUrl = `${fakes.url}/v1`;
const text = 'A deposit of forty euros is taken for each bicycle.';
const tag = { teamId: 'team', objectId: 'object', operation: 'upload' };

function openInstallation(installationId: string) {
  const objects = createHostedObjects({
    db,
    installationId,
    client: createOpenAIClient({ apiKey: 'sk-test', baseUrl }),
  });
  const listRefs = async () => {
    const refs: string[] = [];
    for await (const { ref } of objects.listOwned(AbortSignal.timeout(10_000))) refs.push(ref);
    return refs;
  };
  return { objects, listRefs };
}

function startWorker(installationId: string): ChildProcess {
  const options = [databaseUrl, installationId, baseUrl, 'rental.txt', text];
  const worker = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'inherit', 'inherit'] });
  workers.push(worker);
  return worker;
}

test('creates one file if the process is killed before it learns of the creation', async () => {
  const { objects, listRefs } = openInstallation('killed');
  await fakes.failFiles('POST /v1/files', { kind: 'hold reply' });
  const worker = startWorker('killed');
  await eventually(async () => assert.equal((await listRefs()).length, 1), 120_000);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  const ref = await objects.putDocument(tag, textDocument('rental.txt', text), AbortSignal.timeout(60_000));
  assert.deepEqual(await listRefs(), [ref]);
});

test('keeps one file if several processes create it at once', async () => {
  const { listRefs } = openInstallation('raced');
  const racing = [startWorker('raced'), startWorker('raced'), startWorker('raced')];
  const exits = await Promise.all(racing.map((worker) => once(worker, 'exit')));
  assert.deepEqual(
    exits.map(([code]) => code),
    [0, 0, 0],
  );
  assert.equal((await listRefs()).length, 1);
});

test('gives up a call that hangs when its time is over, and completes it later', async () => {
  const { objects, listRefs } = openInstallation('hanging');
  await fakes.failFiles('POST /v1/vector_stores', { kind: 'hang' });
  await assert.rejects(objects.putKnowledge(tag, AbortSignal.timeout(1000)), { kind: 'transient' });
  const ref = await objects.putKnowledge(tag, AbortSignal.timeout(60_000));
  assert.deepEqual(await listRefs(), [ref]);
});
