import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError } from '@ai-sdk/provider';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import { toProviderError } from '../language-model/ai-sdk-errors.ts';
import { ProviderError } from '../provider-error.ts';
import type { Audio, SpokenText } from './speech.ts';

export interface SpeechOptions {
  baseUrl: string;
  apiKey: string | null;
}

export interface OpenAiCompatibleSpeech {
  synthesize(text: string, voice: { model: string; voice: string }, signal: AbortSignal): Promise<SpokenText>;
  transcribe(audio: Audio, model: string, signal: AbortSignal): Promise<string>;
}

/** About ten minutes of uncompressed speech. */
const maxSpeechBytes = 64 * 1024 * 1024;
/** Each conversion is a thread that holds the whole sound. */
const maxConversions = 2;

/** Drives the speech and transcription endpoints of OpenAI's API, which servers of local models also offer. */
export function createOpenAiCompatibleSpeech({ baseUrl, apiKey }: SpeechOptions): OpenAiCompatibleSpeech {
  const provider = createOpenAI({ apiKey: apiKey ?? 'none', baseURL: baseUrl });
  const conversions = createSemaphore({
    maxRunning: maxConversions,
    errors: {
      full: () => new ProviderError('transient', 'Too much speech waits for its conversion'),
      timedOut: () => new ProviderError('transient', 'The speech was not converted in time'),
      closed: () => new ProviderError('transient', 'The service stops'),
    },
  });
  return {
    synthesize: (text, { model, voice }, signal) =>
      call(signal, async () => {
        const speak = async (outputFormat: 'opus' | 'wav') => {
          const speech = provider.speech(model);
          const { audio } = await speech.doGenerate({ text, voice, outputFormat, abortSignal: signal });
          return typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio;
        };
        const spoken = await speak('opus').catch((error: unknown) => {
          // Some servers of local models cannot encode Opus.
          if (!isBadRequest(error)) throw error;
          return speak('wav');
        });
        if (spoken.length > maxSpeechBytes) throw new ProviderError('transient', 'The speech is too long');
        return conversions.run(() => createVoiceNote(spoken, signal), { signal });
      }),
    transcribe: ({ bytes, mimeType }, model, signal) =>
      call(
        signal,
        async () => {
          const { text } = await provider
            .transcription(model)
            .doGenerate({ audio: bytes, mediaType: withoutParameters(mimeType), abortSignal: signal });
          return text;
        },
        toTranscriptionError,
      ),
  };
}

/** The client names the file after the type, and providers refuse names that do not end in a known extension. */
const withoutParameters = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim();

/** Statuses that concern the audio, unless the body names another cause. */
const refusals: readonly (number | undefined)[] = [400, 413, 415, 422];

const isBadRequest = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  refusals.includes(error.statusCode) &&
  toProviderError(error).kind === 'rejected';

const toTranscriptionError = (error: unknown): ProviderError =>
  isBadRequest(error)
    ? new ProviderError('refused', toProviderError(error).message, { cause: error })
    : toProviderError(error);

async function call<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  toError: (error: unknown) => ProviderError = toProviderError,
): Promise<Result> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw toError(error);
  }
}

/** Converts speech in a thread of its own, because decoding a minute takes longer than a request may block others. */
async function createVoiceNote(bytes: Uint8Array, signal: AbortSignal): Promise<SpokenText> {
  const worker = new Worker(new URL('./voice-note-worker.ts', import.meta.url), { workerData: bytes });
  try {
    const [note] = (await once(worker, 'message', { signal })) as [SpokenText];
    return note;
  } finally {
    await worker.terminate();
  }
}
