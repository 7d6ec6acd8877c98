import type { QueryExecutorProvider } from 'kysely';
import type { Notation } from '../../platform/notation/notation.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { GuardedEmbedding } from '../../ports/embedding/guarded-embedding.ts';
import type { EncodeSentence } from '../../ports/embedding/sentence-encoder.ts';
import type { ModelProvider } from '../../ports/language-model/ai-sdk.ts';
import { createGuardedModel, type OnModelCall } from '../../ports/language-model/guarded-model.ts';
import type { LanguageModel } from '../../ports/language-model/language-model.ts';
import type { OnRetrieval } from '../search/retrieval-spans.ts';
import type { AssistantProvider } from './assistant-provider.ts';
import { createProviderOfBothPlaces, type KnowledgePlaces } from './both-places.ts';
import type { Generation } from './generating/generate.ts';
import { createLocalTimeFormat } from './generating/model-prompt.ts';
import { createLocalProvider } from './local/local-provider.ts';

export interface AssistantProviderSettings {
  name: 'embedded' | 'openai-hosted' | ModelProvider;
  apiKey: string | null;
  baseUrl: string | null;
  /** The ids of the models of levels 1, 2 and 3. Level 1 is null only without a model. */
  levels: readonly [string | null, string | null, string | null];
  timeoutMs: number;
  concurrency: number;
  fallback: 'embedded' | 'none';
  vision: boolean;
}

export interface AssistantProviderOptions {
  settings: AssistantProviderSettings;
  db: QueryExecutorProvider;
  /** Distinguishes the objects of this installation from those of others. */
  installationId: string;
  embedding: GuardedEmbedding | null;
  encode?: EncodeSentence;
  /** How the messaging network marks up text. */
  notation: Notation;
  logger?: Pick<Logger, 'warn'>;
  preparesAnswers?: boolean;
  /** Called after each call of a model. */
  onModelCall?: OnModelCall;
  onRetrieval?: OnRetrieval;
}

async function openHostedModel(settings: AssistantProviderSettings): Promise<LanguageModel> {
  const { createHostedModel } = await import('./openai-hosted/hosted-model.ts');
  const { createOpenAIClient } = await import('./openai-hosted/hosted-provider.ts');
  return createHostedModel(createOpenAIClient(settings));
}

/** Creates the configured provider, and those of both places while documents move. */
export async function createProviders({
  hosted,
  findPlace,
  ...options
}: AssistantProviderOptions & {
  /** How to reach documents at OpenAI. */
  hosted: AssistantProviderSettings;
  findPlace: Parameters<typeof createProviderOfBothPlaces>[0]['findPlace'];
}): Promise<{ provider: AssistantProvider; places: KnowledgePlaces }> {
  const { settings } = options;
  const isHosted = settings.name === 'openai-hosted';
  const openai = await createAssistantProvider({ ...options, settings: hosted });
  const database = isHosted
    ? createLocalProvider({
        ...options,
        generation: createGeneration(options, await openHostedModel(settings)),
      })
    : await createAssistantProvider(options);
  const places = { database, openai };
  const target = isHosted ? openai : database;
  return { provider: createProviderOfBothPlaces({ ...options, places, target, findPlace }), places };
}

/** Loads only the clients of the chosen provider, because all together take 70 MB and half a second. */
export async function createAssistantProvider(options: AssistantProviderOptions): Promise<AssistantProvider> {
  const { settings } = options;
  const { name } = settings;
  switch (name) {
    case 'embedded':
      return createLocalProvider(options);
    case 'openai-hosted': {
      const { createHostedModel } = await import('./openai-hosted/hosted-model.ts');
      const { createHostedProvider, createOpenAIClient } = await import('./openai-hosted/hosted-provider.ts');
      const client = createOpenAIClient(settings);
      const generation = createGeneration(options, createHostedModel(client));
      const local = createLocalProvider({ ...options, generation: { ...generation, searchesFiles: true } });
      return createHostedProvider({ ...options, local, client });
    }
    default: {
      const { createAiSdkModel } = await import('../../ports/language-model/ai-sdk.ts');
      const model = await createAiSdkModel({ ...settings, provider: name });
      return createLocalProvider({ ...options, generation: createGeneration(options, model) });
    }
  }
}

function createGeneration(
  { settings, notation, onModelCall = () => undefined }: AssistantProviderOptions,
  model: LanguageModel,
): Generation {
  const { name, levels, timeoutMs, concurrency, fallback, vision } = settings;
  const [first, second, third] = levels;
  if (first === null) throw new Error(`${name} needs a model of level 1`);
  return {
    model: createGuardedModel({ model, timeoutMs, concurrency, onModelCall }),
    levels: [first, second ?? first, third ?? second ?? first],
    vision,
    notation,
    fallsBack: fallback === 'embedded',
    modelsWithoutTools: new Set(),
    formatLocalTime: createLocalTimeFormat(),
  };
}
