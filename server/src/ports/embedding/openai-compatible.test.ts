import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { ProviderError } from '../provider-error.ts';
import { createOpenAiCompatibleEmbedding } from './openai-compatible.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const { signal } = new AbortController();

const embeddingWith = (model: string) =>
  createOpenAiCompatibleEmbedding({ baseUrl: `${fakes.url}/v1`, apiKey: null, model });

test('returns vectors of length 1 in the order of the texts', async () => {
  const vectors = await embeddingWith('embed').embed(['red apple', 'green apple', 'tax return'], signal);
  const cosine = (a = 0, b = 0) =>
    vectors[a]?.reduce((sum, value, index) => sum + value * (vectors[b]?.[index] ?? 0), 0);
  assert.ok(Math.abs((cosine(0, 0) ?? 0) - 1) < 1e-6);
  assert.ok((cosine(0, 1) ?? 0) > (cosine(0, 2) ?? 1));
  const [sent] = await fakes.requests('embed');
  assert.deepEqual(sent?.body.input, ['red apple', 'green apple', 'tax return']);
  assert.equal(sent?.headers.authorization, undefined);
});

test('reports refused keys and unknown models', async () => {
  await fakes.script('nothing', [
    { error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } },
    { error: { status: 404, code: 'model_not_found', message: 'The model does not exist' } },
  ]);
  for (const kind of ['auth', 'invalid_config']) {
    await assert.rejects(
      embeddingWith('nothing').embed(['x'], signal),
      (error) => error instanceof ProviderError && error.kind === kind,
    );
  }
});
