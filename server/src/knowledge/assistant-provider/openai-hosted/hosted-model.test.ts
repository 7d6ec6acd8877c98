import { after } from 'node:test';
import { startFakeModels } from '../../../../test/fake-models/fake-models.ts';
import { testLanguageModel } from '../../../ports/language-model/language-model.contract.ts';
import { createHostedModel } from './hosted-model.ts';
import { createOpenAIClient } from './hosted-provider.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

testLanguageModel(
  'openai-hosted',
  fakes,
  () => createHostedModel(createOpenAIClient({ apiKey: 'sk-test', baseUrl: `${fakes.url}/v1` })),
  {
    reasoningModel: 'gpt-5',
    textArguments: true,
    reports: { reasoning: true, cached: true, missingUsage: true, refusal: true },
    errors: {
      auth: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided' },
      unknownModel: { status: 404, code: 'model_not_found', message: 'The model does not exist' },
      quotaExhausted: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
    },
  },
);
