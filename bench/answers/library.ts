import { randomUUID } from 'node:crypto';
import type {
  AssistantProvider,
  AssistantSpec,
  TurnMessage,
} from '../../server/src/knowledge/assistant-provider/assistant-provider.ts';
import { createAssistantProvider } from '../../server/src/knowledge/assistant-provider/create-assistant-provider.ts';
import { createKnowledge, type Knowledge } from '../../server/src/knowledge/search/knowledge.ts';
import { createTimeSlicer } from '../../server/src/knowledge/search/time-slices.ts';
import { connectDatabase, type Database } from '../../server/src/platform/database/database.ts';
import { chatNotation } from '../../server/src/platform/notation/notation.ts';
import { readConfig } from '../../server/src/process/config.ts';
import { providerSettings } from '../../server/src/process/context.ts';
import { makeTurn, turnContext } from '../../server/test/steps.ts';
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
  /** Returns the reply to the last of these messages of one contact. */
  ask(...messages: readonly string[]): Promise<Reply>;
  /** Returns the passages that a prompt of a language model would have, best first. */
  findForPrompt(question: string): Promise<string[]>;
}

export interface Reply {
  text: string;
  answered: boolean;
  /** Whether it quotes the knowledge. */
  quotes: boolean;
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
  const knowledge = createKnowledge({ db: connection.db, installationId: benchOwner.installationId });
  return {
    db: connection.db,
    store: (texts) => storeTexts(provider, knowledge, texts),
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

async function storeTexts(
  provider: AssistantProvider,
  knowledge: Knowledge,
  texts: readonly string[],
): Promise<StoredTexts> {
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
    async ask(...messages) {
      const turns: TurnMessage[] = [];
      let reply: Reply = { text: '', answered: false, quotes: false };
      for (const text of messages) {
        turns.push({ role: 'contact', text });
        const step = await provider.step(
          makeTurn(assistant, turns, { context: { ...turnContext, now: new Date() } }),
          signal,
        );
        if (step.kind !== 'answer') throw new Error('an assistant without tools called a tool');
        reply = { text: step.text, answered: step.answered, quotes: step.sources.length > 0 };
        turns.push({ role: 'assistant', text: step.text });
      }
      return reply;
    },
    async findForPrompt(question) {
      const yieldControl = createTimeSlicer()();
      const documents = await knowledge.findDocuments(benchOwner.teamId, documentRefs);
      const pairs = await knowledge.indexPairs([], yieldControl);
      const { passages } = await knowledge.ground({ pairs, documents }, question, yieldControl);
      return passages.map(({ text }) => text);
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
