import type { QueryExecutorProvider } from 'kysely';
import { OpenAI } from 'openai';
import type { AssistantProvider } from '../assistant-provider.ts';
import { createHostedObjects } from './hosted-objects.ts';
import { toHostedError } from './openai-calls.ts';

const defaultBaseUrl = 'https://api.openai.com/v1';

/** The SDK would read absent options from the environment. Repetitions are ours. */
export const createOpenAIClient = ({
  apiKey,
  baseUrl,
}: {
  apiKey: string | null;
  baseUrl: string | null;
}): OpenAI =>
  new OpenAI({
    apiKey: apiKey ?? '',
    baseURL: baseUrl ?? defaultBaseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });

/**
 * Keeps documents as files and knowledge stores as vector stores at OpenAI. `local` keeps the assistants, so that their
 * revisions never change, and answers through a model that searches OpenAI's stores.
 */
export function createHostedProvider({
  local,
  client,
  db,
  installationId,
}: {
  local: AssistantProvider;
  client: OpenAI;
  db: QueryExecutorProvider;
  installationId: string;
}): AssistantProvider {
  const objects = createHostedObjects({ db, client, installationId });
  const translated =
    <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        return await call(...args);
      } catch (error) {
        throw toHostedError(error);
      }
    };
  return {
    ...local,
    name: 'openai-hosted',
    documentsIn: 'openai',
    putKnowledge: translated(async (tag, signal) => ({ ref: await objects.putKnowledge(tag, signal) })),
    deleteKnowledge: translated(objects.deleteKnowledge),
    putDocument: translated(async (tag, document, signal) => ({
      ref: await objects.putDocument(tag, document, signal),
    })),
    documentStatus: translated(objects.documentStatus),
    deleteDocument: translated(objects.deleteDocument),
    putAssistant: translated(async (tag, ref, spec, signal) => {
      await objects.attach(spec.knowledge.storeRef, spec.knowledge.documentRefs, signal);
      return local.putAssistant(tag, ref, spec, signal);
    }),
    async *listOwned(signal) {
      for await (const object of local.listOwned(signal)) if (object.kind === 'assistant') yield object;
      try {
        yield* objects.listOwned(signal);
      } catch (error) {
        throw toHostedError(error);
      }
    },
  };
}
