import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { startTestApp } from '../../../test/harness.ts';
import { makeVoiceNote } from '../../../test/voice-notes.ts';
import { checkProvider, checkSpeech } from './provider-state.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const app = await startTestApp({
  environment: {
    SPEECH_PROVIDER: 'openai-compatible',
    SPEECH_BASE_URL: `${fakes.url}/v1`,
    SPEECH_MODEL: 'voice',
    SPEECH_VOICE: 'alloy',
    TRANSCRIPTION_MODEL: 'ears',
  },
  routes: () => [],
});

interface State {
  failures: { kind: string; model: string | null }[];
}

async function readState({ baseUrl }: typeof app): Promise<{ assistant_provider: State; speech: State }> {
  const response = await fetch(`${baseUrl}/readyz?verbose`);
  return (await response.json()) as { assistant_provider: State; speech: State };
}

const summarize = ({ failures }: State) => failures.map(({ kind, model }) => [kind, model]);

test('reports a model for speech that does not exist before a contact needs it', async () => {
  const { speechService } = app.context;
  assert.ok(speechService !== null);
  const audio = makeVoiceNote(1).toString('base64');
  const error = { status: 404, code: 'model_not_found', message: 'The model does not exist' };
  await fakes.script('voice', [{ audio }]);
  // The second one is for the trial of /readyz.
  await fakes.script('ears', [{ error }, { error }]);
  const logged: string[] = [];
  await checkSpeech(speechService, {
    warn: (_: object, message?: string) => void logged.push(message ?? ''),
  });
  assert.deepEqual(logged, ['a model for speech does not work']);
  await fakes.script('voice', [{ audio }]);
  assert.deepEqual(summarize((await readState(app)).speech), [['invalid_config', 'ears']]);
});

test('reports an unknown model and a refused key before a contact needs them, until they work', async () => {
  const models = await startTestApp({
    environment: {
      ASSISTANT_PROVIDER: 'openai-compatible',
      MODEL_BASE_URL: `${fakes.url}/v1`,
      MODEL_LEVEL_1: 'known',
      MODEL_LEVEL_3: 'unknown',
    },
    routes: () => [],
  });
  const missing = { error: { status: 404, code: 'model_not_found', message: 'The model does not exist' } };
  await fakes.script('unknown', [missing]);
  const logged: object[] = [];
  await checkProvider(models.context.provider, { warn: (entry: object) => void logged.push(entry) });
  assert.partialDeepStrictEqual(logged, [{ level: 3 }]);
  assert.deepEqual(summarize((await readState(models)).assistant_provider), [['invalid_config', 'unknown']]);

  const refused = { error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } };
  await fakes.script('known', [refused]);
  await checkProvider(models.context.provider, { warn: () => undefined });
  assert.deepEqual(summarize((await readState(models)).assistant_provider), [
    ['invalid_config', 'unknown'],
    ['auth', null],
  ]);
});
