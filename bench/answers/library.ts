import { randomUUID } from 'node:crypto';
import type {
  AssistantProvider,
  AssistantSpec,
} from '../../server/src/knowledge/assistant-provider/assistant-provider.ts';
import { createAssistantProvider } from '../../server/src/knowledge/assistant-provider/create-assistant-provider.ts';
import { connectDatabase, type Database } from '../../server/src/platform/database/database.ts';
import { chatNotation } from '../../server/src/platform/notation/notation.ts';
import { readConfig } from '../../server/src/process/config.ts';
import { providerSettings } from '../../server/src/process/context.ts';
import { createTestDatabase } from '../../server/test/test-database.ts';

/** An embedded provider on a database of its own. */
export interface Library {
  db: Database;
  /** Stores the texts as plain text files and creates an assistant that knows only these. */
  store(texts: readonly string[]): Promise<StoredTexts>;
  close(): Promise<void>;
}

export interface StoredTexts {
  documentRefs: readonly string[];
  ask(question: string): Promise<{ text: string; answered: boolean }>;
}

/** Questions at a time, and connections. */
const together = 4;

export const benchOwner = { installationId: 'bench', teamId: 'bench' };

/** `environment` selects the provider. */
export async function openLibrary(environment: NodeJS.ProcessEnv = process.env): Promise<Library> {
  const database = await createTestDatabase();
  const connection = connectDatabase({
    url: database.url,
    poolSize: together,
    applicationName: 'bench-answers',
    logger: { warn: (...args: unknown[]) => console.error(...args) },
  });
  // The quotes of the embedded composer would count as answers of a model that fails.
  const settings = { ...providerSettings(readConfig(environment)), fallback: 'none' as const };
  const provider = await createAssistantProvider({
    settings,
    embedding: null,
    notation: chatNotation,
    db: connection.db,
    installationId: benchOwner.installationId,
  });
  return {
    db: connection.db,
    store: (texts) => storeTexts(provider, texts),
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

async function storeTexts(provider: AssistantProvider, texts: readonly string[]): Promise<StoredTexts> {
  const { signal } = new AbortController();
  const tag = () => ({ teamId: benchOwner.teamId, objectId: 'bench', operation: randomUUID() });
  const documentRefs: string[] = [];
  for (const [index, text] of texts.entries()) {
    const document = {
      name: `document-${index + 1}.txt`,
      type: 'txt' as const,
      bytes: new TextEncoder().encode(text),
      sections: [{ page: null, heading: null, text }],
    };
    documentRefs.push((await provider.putDocument(tag(), document, signal)).ref);
  }
  const { ref: storeRef } = await provider.putKnowledge(tag(), signal);
  const spec = { ...bareSpec, knowledge: { storeRef, documentRefs } };
  const assistant = await provider.putAssistant(tag(), null, spec, signal);
  return {
    documentRefs,
    async ask(question) {
      const step = await provider.step(
        {
          assistantRef: assistant.ref,
          revision: assistant.revision,
          withdrawnDocumentRefs: [],
          context: {
            locale: 'en',
            language: null,
            timeZone: 'UTC',
            now: new Date(),
            allowHuman: false,
            deadline: Number.POSITIVE_INFINITY,
          },
          messages: [{ role: 'contact', text: question }],
          state: null,
        },
        signal,
      );
      if (step.kind !== 'answer') throw new Error('an assistant without tools called a tool');
      return step;
    },
  };
}

/** Maps the items in order, several at a time. */
export async function mapTogether<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += together)
    results.push(...(await Promise.all(items.slice(first, first + together).map(map))));
  return results;
}

const bareSpec: Omit<AssistantSpec, 'knowledge'> = {
  name: 'Bench',
  identificationName: 'Bench',
  instructions: '',
  temperature: 0,
  modelLevel: 1,
  questions: [],
  tools: [],
};
