/** A program that puts a document at OpenAI: `hosted-put-worker.ts <database URL> <installation> <base URL> <name> <text>`. */
import { textDocument } from '../src/knowledge/assistant-provider/assistant-provider.contract.ts';
import { createAssistantProvider } from '../src/knowledge/assistant-provider/create-assistant-provider.ts';
import { connectDatabase } from '../src/platform/database/database.ts';
import { chatNotation } from '../src/platform/notation/notation.ts';
import { createLogger } from '../src/platform/shared/logger.ts';

const [databaseUrl = '', installationId = '', baseUrl = '', name = '', text = ''] = process.argv.slice(2);
const { db, close } = connectDatabase({
  url: databaseUrl,
  poolSize: 2,
  applicationName: 'put worker',
  logger: createLogger('silent'),
});
const provider = await createAssistantProvider({
  db,
  installationId,
  embedding: null,
  notation: chatNotation,
  settings: {
    name: 'openai-hosted',
    apiKey: 'sk-test',
    baseUrl,
    levels: ['quoting', null, null],
    timeoutMs: 10_000,
    concurrency: 1,
    fallback: 'none',
    vision: false,
  },
});
const tag = { teamId: 'team', objectId: 'object', operation: 'upload' };
await provider.putDocument(tag, textDocument(name, text), new AbortController().signal);
await close();
