/** A program that moves documents to OpenAI: `move-worker.ts <database URL> <data folder> <base URL>`. */
import { Registry } from 'prom-client';
import { createLocalFileStore } from '../src/adapters/file-store/local.ts';
import { moveKnowledgeJob } from '../src/bots/move-knowledge.jobs.ts';
import { startJobRunner } from '../src/jobs/runner.ts';
import { createJobMeters } from '../src/metrics/job-metrics.ts';
import { hostedEnvironment, openMovingContext, readPlainText } from './moving.ts';

const [databaseUrl = '', dataDir = '', baseUrl = ''] = process.argv.slice(2);
const fileStore = createLocalFileStore({ root: dataDir });
const context = await openMovingContext(databaseUrl, fileStore, hostedEnvironment(baseUrl));

await startJobRunner({
  ...context,
  meters: createJobMeters(new Registry()),
  concurrency: 1,
  leaseSeconds: 1,
  jobs: [moveKnowledgeJob({ ...context, places: context.places, extractor: readPlainText, place: 'openai' })],
});
