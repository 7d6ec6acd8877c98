import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addDocument, addTeam } from '../../../test/bots.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { startTestContext } from '../../../test/harness.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { installJobSchema } from '../../platform/jobs/job-schema.ts';
import { composeWorker } from '../../process/compose/worker.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const environments = {
  embedded: {},
  'openai-hosted': { MODEL_API_KEY: 'sk-test', MODEL_LEVEL_1: 'model', MODEL_BASE_URL: `${fakes.url}/v1` },
};

for (const [provider, environment] of Object.entries(environments)) {
  test(`embeds no passages with ${provider}, which does not search them by meaning`, async () => {
    const context = await startTestContext({
      environment: {
        ...environment,
        ASSISTANT_PROVIDER: provider,
        EMBEDDING_MODEL: 'unused',
        EMBEDDING_BASE_URL: `${fakes.url}/v1`,
      },
    });
    const { db, databaseUrl } = context;
    await installJobSchema(databaseUrl, { warn: () => undefined, trace: () => undefined });
    await addDocument(context, await addTeam(context));
    const worker = await composeWorker(context, context);
    await enqueueJob(db, 'embed-passages', {}, { maxAttempts: 1 });
    await enqueueJob(db, 'reconcile-bots', {}, { maxAttempts: 1 });
    await eventually(async () => {
      const { rows } = await sql<{ task_identifier: string; attempts: number }>`
        select task_identifier, attempts from graphile_worker.jobs
        where task_identifier in ('embed-passages', 'reconcile-bots')`.execute(db);
      assert.deepEqual(rows, [{ task_identifier: 'embed-passages', attempts: 0 }]);
    });
    await worker.close();
    assert.deepEqual(await fakes.requests('unused'), []);
    const reader = { socket: { remoteAddress: '127.0.0.1' }, headers: { host: 'localhost' } };
    const exposed = await context.metrics.expose(reader);
    assert.match(exposed?.text ?? '', /^parley_passages_without_vector 0$/m);
  });
}
