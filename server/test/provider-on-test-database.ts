import { after } from 'node:test';
import { pino } from 'pino';
import { bareSpec } from '../src/knowledge/assistant-provider/assistant-provider.contract.ts';
import type {
  AssistantSpec,
  AssistantStep,
  ProviderDocument,
  TurnMessage,
} from '../src/knowledge/assistant-provider/assistant-provider.ts';
import { createLocalProvider } from '../src/knowledge/assistant-provider/local/local-provider.ts';
import { connectDatabase, type Database } from '../src/platform/database/database.ts';
import { makeTurn } from './steps.ts';
import { createTestDatabase } from './test-database.ts';

/** The database of an embedded provider. */
interface ConnectedDatabase {
  db: Database;
  databaseUrl: string;
}

/** Connects to a new database that is dropped after the tests. */
export async function connectTestDatabase(): Promise<ConnectedDatabase> {
  const database = await createTestDatabase();
  const connection = connectDatabase({
    url: database.url,
    poolSize: 4,
    applicationName: 'test',
    logger: pino({ level: 'silent' }),
  });
  after(async () => {
    await connection.close();
    await database.drop();
  });
  return { db: connection.db, databaseUrl: database.url };
}

export interface TestAssistant {
  /** References of its documents, in order. */
  documentRefs: readonly string[];
  step(...messages: readonly TurnMessage[]): Promise<AssistantStep>;
  /** Returns the reply; throws on a tool call. */
  reply(...messages: readonly (string | TurnMessage)[]): Promise<Extract<AssistantStep, { kind: 'answer' }>>;
}

let operations = 0;

/** Creates an assistant with this knowledge. */
export async function makeAssistant(
  database: ConnectedDatabase,
  knowledge: Partial<AssistantSpec> & { documents?: readonly ProviderDocument[] },
): Promise<TestAssistant> {
  const { documents = [], ...spec } = knowledge;
  const { signal } = new AbortController();
  const provider = createLocalProvider({ ...database, installationId: 'test' });
  const tag = () => {
    operations += 1;
    return { teamId: 'team', objectId: 'bot', operation: `operation-${operations}` };
  };
  const documentRefs: string[] = [];
  for (const document of documents)
    documentRefs.push((await provider.putDocument(tag(), document, signal)).ref);
  const { ref, revision } = await provider.putAssistant(
    tag(),
    null,
    { ...bareSpec, ...spec, knowledge: { storeRef: 'store', documentRefs } },
    signal,
  );
  const step = (...messages: readonly TurnMessage[]): Promise<AssistantStep> =>
    provider.step(makeTurn({ ref, revision }, messages), signal);
  return {
    documentRefs,
    step,
    async reply(...messages) {
      const answer = await step(
        ...messages.map((message) =>
          typeof message === 'string' ? { role: 'contact' as const, text: message } : message,
        ),
      );
      if (answer.kind !== 'answer')
        throw new Error(`the assistant called ${answer.calls[0]?.tool} instead of answering`);
      return answer;
    },
  };
}
