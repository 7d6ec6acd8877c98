import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { ProviderError } from '../provider-error.ts';
import { createAiSdkModel, type ModelProvider } from './ai-sdk.ts';
import { type ProviderTraits, testLanguageModel } from './language-model.contract.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const openaiErrors = {
  auth: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided' },
  unknownModel: { status: 404, code: 'model_not_found', message: 'The model does not exist' },
  quotaExhausted: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
};

const providers: Record<ModelProvider, { path: string } & ProviderTraits> = {
  openai: {
    reasoningModel: 'gpt-5',
    path: '/v1',
    textArguments: true,
    reports: { reasoning: true, cached: true, missingUsage: true, refusal: true },
    errors: openaiErrors,
  },
  anthropic: {
    reasoningModel: 'claude',
    path: '/v1',
    textArguments: false,
    reports: { reasoning: false, cached: true, missingUsage: false, refusal: true },
    errors: {
      auth: { status: 401, code: 'authentication_error', message: 'invalid x-api-key' },
      unknownModel: { status: 404, code: 'not_found_error', message: 'model: nothing' },
      quotaExhausted: {
        status: 400,
        code: 'invalid_request_error',
        message: 'Your credit balance is too low to access the API',
      },
    },
  },
  google: {
    reasoningModel: 'gemini',
    path: '/v1beta',
    textArguments: false,
    reports: { reasoning: true, cached: true, missingUsage: true, refusal: true },
    errors: {
      auth: {
        status: 400,
        code: 'INVALID_ARGUMENT',
        message: 'API key not valid. Please pass a valid API key.',
      },
      unknownModel: { status: 404, code: 'NOT_FOUND', message: 'models/nothing is not found' },
      quotaExhausted: { status: 402, code: 'FAILED_PRECONDITION', message: 'Enable billing' },
    },
  },
  mistral: {
    reasoningModel: 'magistral',
    path: '/v1',
    textArguments: true,
    reports: { reasoning: false, cached: true, missingUsage: false, refusal: false },
    errors: {
      auth: { status: 401, code: 'unauthorized', message: 'Unauthorized' },
      unknownModel: { status: 400, code: 'invalid_model', message: 'Invalid model: nothing' },
      quotaExhausted: { status: 402, code: 'payment_required', message: 'Payment required' },
    },
  },
  'openai-compatible': {
    reasoningModel: 'local',
    path: '/v1',
    textArguments: true,
    reports: { reasoning: true, cached: true, missingUsage: true, refusal: true },
    errors: openaiErrors,
  },
};

for (const [provider, { path, ...traits }] of Object.entries(providers)) {
  testLanguageModel(
    provider,
    fakes,
    () =>
      createAiSdkModel({
        provider: provider as ModelProvider,
        apiKey: 'key',
        baseUrl: `${fakes.url}${path}`,
      }),
    traits,
  );
}

test('reports a server that is not there as transient', async () => {
  const model = await createAiSdkModel({
    provider: 'openai-compatible',
    apiKey: null,
    baseUrl: 'http://127.0.0.1:1/v1',
  });
  const request = {
    model: 'm',
    system: 's',
    messages: [{ role: 'user' as const, text: 'Hi' }],
    tools: [],
    temperature: 1,
    state: null,
  };
  await assert.rejects(
    model.generate(request, new AbortController().signal),
    (error) => error instanceof ProviderError && error.kind === 'transient',
  );
});
