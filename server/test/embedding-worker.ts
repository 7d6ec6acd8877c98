/** A program that embeds passages: `embedding-worker.ts <database URL> <installation> <base URL> <model>`. */

import { embedPassagesJob } from '../src/knowledge/search/embedding.jobs.ts';
import { createGuardedEmbedding } from '../src/ports/embedding/guarded-embedding.ts';
import { createOpenAiCompatibleEmbedding } from '../src/ports/embedding/openai-compatible.ts';
import { runJobs } from './run-jobs.ts';

const [databaseUrl = '', installationId = '', baseUrl = '', model = ''] = process.argv.slice(2);
const embedding = createGuardedEmbedding({
  embedding: createOpenAiCompatibleEmbedding({ baseUrl, apiKey: null, model }),
  onRequest: () => undefined,
});

await runJobs(databaseUrl, ({ db, logger }) => [embedPassagesJob({ db, installationId, embedding, logger })]);
