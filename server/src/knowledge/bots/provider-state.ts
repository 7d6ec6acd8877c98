import { withDeadline } from '../../platform/shared/deadline.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { LastingFailure } from '../../ports/provider-error.ts';
import type { ConfiguredSpeech } from '../../ports/speech/create-speech.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';

const checkMs = 10_000;

/** Tries the models of all levels and logs what the operator must mend. Never rejects. */
export async function checkProvider(
  provider: Pick<AssistantProvider, 'name' | 'checkModel'>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const level of [1, 2, 3] as const) {
    const check = { modelLevel: level };
    await withDeadline(checkMs, (signal) => provider.checkModel(check, signal)).catch((error: unknown) =>
      logger.warn({ err: error, provider: provider.name, level }, 'the language model does not work'),
    );
  }
}

type CheckedSpeech = Pick<ConfiguredSpeech, 'check' | 'lastingFailures'>;

/** Tries the models and logs what the operator must mend. Never rejects. */
export async function checkSpeech(speech: CheckedSpeech, logger: Pick<Logger, 'warn'>): Promise<void> {
  await withDeadline(checkMs, speech.check).catch((error: unknown) =>
    logger.warn({ err: error }, 'a model for speech does not work'),
  );
}

/** For `/readyz?verbose`, like `describeProvider`. */
export async function describeSpeech(speech: CheckedSpeech): Promise<object> {
  if (speech.lastingFailures().length > 0) await checkSpeech(speech, { warn: () => undefined });
  return { failures: presentFailures(speech.lastingFailures()) };
}

const presentFailures = (failures: readonly LastingFailure[]): object[] =>
  failures.map(({ kind, model, message, since }) => ({ kind, model, message, since: since.toISOString() }));

/** For `/readyz?verbose`. Tries again if calls failed, because no other call may be due. */
export async function describeProvider(
  provider: Pick<AssistantProvider, 'name' | 'checkModel' | 'lastingFailures'>,
): Promise<object> {
  if (provider.lastingFailures().length > 0) await checkProvider(provider, { warn: () => undefined });
  return {
    name: provider.name,
    failures: presentFailures(provider.lastingFailures()),
  };
}
