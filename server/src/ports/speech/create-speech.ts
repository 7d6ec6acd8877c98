import { withDeadline } from '../../platform/shared/deadline.ts';
import { createModelBreaker } from '../language-model/model-breaker.ts';
import { isLasting, type LastingFailure, ProviderError } from '../provider-error.ts';
import { writeOggOpus } from './ogg-opus.ts';
import type { OpenAiCompatibleSpeech, SpeechOptions } from './openai-compatible.ts';
import type { Audio, Speech } from './speech.ts';

export interface SpeechSettings extends SpeechOptions {
  /** Null: answers are not spoken. */
  voice: { model: string; voice: string } | null;
  /** Null: voice notes are not transcribed. */
  transcriptionModel: string | null;
}

export type SpeechOutcome = 'ok' | ProviderError['kind'];

export interface ConfiguredSpeech extends Speech {
  /** Failures that last until the operator acts. */
  lastingFailures(): LastingFailure[];
  /** Speaks a word and transcribes a second of silence. Rejects with the first failure that only the operator can mend. */
  check(signal: AbortSignal): Promise<void>;
}

/** `POST /send` has 25 s for all of its preparation. */
const defaultTimeoutMs = 20_000;

/** Each call has a deadline. Failures that only the operator can mend stop further calls, except one trial every 30 s. */
export function createSpeech(
  { voice, transcriptionModel, ...options }: SpeechSettings,
  {
    onRequest,
    timeoutMs = defaultTimeoutMs,
  }: { onRequest(purpose: 'speech' | 'transcription', outcome: SpeechOutcome): void; timeoutMs?: number },
): ConfiguredSpeech {
  // Loading the client's package takes a fifth of a second, which must not delay the start.
  const adapter = import('./openai-compatible.ts').then((module) =>
    module.createOpenAiCompatibleSpeech(options),
  );
  adapter.catch(() => undefined); // calls reject with it
  const breaker = createModelBreaker();
  const call = async <Result>(
    purpose: 'speech' | 'transcription',
    model: string,
    work: (speech: OpenAiCompatibleSpeech, limited: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> => {
    signal.throwIfAborted();
    try {
      const result = await breaker.run(model, async () => {
        const speech = await adapter;
        return withDeadline(timeoutMs, (limited) => work(speech, limited), signal);
      });
      onRequest(purpose, 'ok');
      return result;
    } catch (cause) {
      signal.throwIfAborted();
      const error = cause instanceof ProviderError ? cause : timedOut(timeoutMs, cause);
      onRequest(purpose, error.kind);
      throw error;
    }
  };
  const synthesize: Speech['synthesize'] =
    voice &&
    ((text, signal) =>
      call('speech', voice.model, (speech, limited) => speech.synthesize(text, voice, limited), signal));
  const transcribe: Speech['transcribe'] =
    transcriptionModel === null
      ? null
      : (audio, signal) =>
          call(
            'transcription',
            transcriptionModel,
            (speech, limited) => speech.transcribe(audio, transcriptionModel, limited),
            signal,
          );
  return {
    synthesize,
    transcribe,
    lastingFailures: breaker.lastingFailures,
    async check(signal) {
      const results = await Promise.allSettled([
        synthesize?.('OK', signal),
        transcribe?.(createSilence(), signal),
      ]);
      const lasting = results.find(
        (result) =>
          result.status === 'rejected' && result.reason instanceof ProviderError && isLasting(result.reason),
      );
      if (lasting?.status === 'rejected') throw lasting.reason;
    },
  };
}

/** One second. */
export const createSilence = (): Audio => ({
  bytes: writeOggOpus(
    Array.from({ length: 50 }, () => Uint8Array.of(0xf8, 0xff, 0xfe)),
    960,
  ),
  mimeType: 'audio/ogg',
});

const timedOut = (timeoutMs: number, cause: unknown): ProviderError =>
  new ProviderError('transient', `The speech provider did not respond within ${timeoutMs} ms`, { cause });
