import type { KnowledgePlaces } from '../src/knowledge/assistant-provider/both-places.ts';
import type { Extractor } from '../src/knowledge/documents/extraction/extractor.ts';
import type { FileStore } from '../src/ports/file-store/file-store.ts';
import { openTestContext, type TestContext } from './harness.ts';

export const hostedEnvironment = (baseUrl: string): Record<string, string> => ({
  ASSISTANT_PROVIDER: 'openai-hosted',
  MODEL_API_KEY: 'sk-test',
  MODEL_BASE_URL: baseUrl,
  MODEL_LEVEL_1: 'quoting',
  MODEL_FALLBACK: 'none',
});

/** Another provider, which may still use the documents at OpenAI. */
export const leavingEnvironment = (baseUrl: string): Record<string, string> => ({
  ASSISTANT_PROVIDER: 'embedded',
  OPENAI_HOSTED_API_KEY: 'sk-test',
  OPENAI_HOSTED_BASE_URL: baseUrl,
  OPENAI_HOSTED_MODEL: 'quoting',
});

export type MovingContext = TestContext & { places: KnowledgePlaces };

/** Opens a context like that of a process with a changed provider. */
export async function openMovingContext(
  databaseUrl: string,
  fileStore: FileStore,
  environment: Record<string, string>,
): Promise<MovingContext> {
  const context = await openTestContext(databaseUrl, { environment, replacements: { fileStore } });
  const { places } = context;
  if (places === null) throw new Error('no documents are elsewhere');
  return { ...context, places };
}

export const readPlainText: Pick<Extractor, 'extract'> = {
  extract: async ({ bytes }) => {
    const text = Buffer.from(bytes).toString();
    return { sections: [{ page: null, heading: null, text }], chars: text.length };
  },
};
