import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../test/fake-models/fake-models.ts';
import { startTestApp } from '../../test/harness.ts';
import { makeVoiceNote } from '../../test/voice-notes.ts';
import { checkSpeech } from './provider-state.ts';

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

async function readSpeech() {
  const response = await fetch(`${app.baseUrl}/readyz?verbose`);
  return ((await response.json()) as { speech: { failures: { kind: string; model: string | null }[] } })
    .speech;
}

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
  assert.deepEqual(
    (await readSpeech()).failures.map(({ kind, model }) => [kind, model]),
    [['invalid_config', 'ears']],
  );
});
