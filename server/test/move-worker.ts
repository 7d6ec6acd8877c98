/** A program that moves documents to OpenAI: `move-worker.ts <database URL> <data folder> <base URL>`. */
import { Registry } from 'prom-client';
import { moveKnowledgeJob } from '../src/knowledge/bots/move-knowledge.jobs.ts';
import { createJobMeters } from '../src/platform/jobs/job-metrics.ts';
import { startJobRunner } from '../src/platform/jobs/runner.ts';
import { createLocalFileStore } from '../src/ports/file-store/local.ts';
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
