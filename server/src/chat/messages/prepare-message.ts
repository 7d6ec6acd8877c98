import { badRequest, operationFailed } from '../../platform/http/errors.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { Speech, SpokenText } from '../../ports/speech/speech.ts';
import type { SendContext } from './accept.queries.ts';
import type { SpokenMedium } from './media.ts';
import { type MediaFiles, type StoredBytes, stageBytes } from './media-files.ts';
import type { SendMessage } from './messages.schemas.ts';

export interface MessageSources {
  /** Throws `image_unavailable`. */
  fetchImage(
    url: string,
    options: { expectedMimeType?: string; signal?: AbortSignal },
  ): Promise<{ bytes: Uint8Array; mimeType: string }>;
  /** Null without a model that speaks. */
  synthesize: Speech['synthesize'];
  /** Null if the AI provider generates no text. */
  rewrite: Rewrite | null;
}

/** Rewrites a text as the bot would say it. Returns null if the bot has no version, no text or no credits. */
export type Rewrite = (
  request: { teamId: string; botId: string; deviceId: string; contactNumber: string; text: string },
  signal: AbortSignal,
) => Promise<string | null>;

export interface PreparedMessage {
  text: string;
  image: { bytes: StoredBytes; mimeType: string } | null;
  spoken: SpokenMedium | null;
  /** Null without `ai_generates_message`. */
  generation: 'generated' | 'failed' | null;
}

const deadlineMs = 25_000;
const longestText = 4096;

export const needsPreparation = (input: SendMessage): boolean =>
  input.send_as_audio === true ||
  input.ai_generates_message === true ||
  input.template !== undefined ||
  hasImage(input);

export const hasImage = (input: SendMessage): boolean => typeof input.image_url === 'string';

export const asUnprepared = (input: SendMessage): PreparedMessage => ({
  text: input.message,
  image: null,
  spoken: null,
  generation: null,
});

/** Fetches the image, rewrites the text, synthesizes speech and stages the media, in this order. Runs before the charge. */
export async function prepareMessage(
  {
    sources,
    mediaFiles,
    logger,
  }: { sources: MessageSources; mediaFiles: MediaFiles; logger: Pick<Logger, 'warn'> },
  context: SendContext,
  contactNumber: string,
  input: SendMessage,
): Promise<PreparedMessage> {
  const signal = AbortSignal.timeout(deadlineMs);
  const image = hasImage(input) ? await fetchImage(sources, input, signal) : null;
  const { synthesize } = sources;
  if (input.send_as_audio === true && synthesize === null) {
    throw badRequest(
      'speech_not_configured',
      'The deployment has no model that speaks; set SPEECH_MODEL, or leave out send_as_audio',
    );
  }
  const rewritten =
    input.ai_generates_message === true
      ? await rewriteOrNull({ ...sources, logger }, context, contactNumber, input.message, signal)
      : undefined;
  const text = rewritten ?? input.message;
  const spoken =
    input.send_as_audio === true && synthesize !== null ? await speak(synthesize, text, signal) : null;
  const generation = rewritten === undefined ? null : rewritten === null ? 'failed' : 'generated';
  const stage = <Medium extends { bytes: Uint8Array }>(medium: Medium) =>
    stageBytes(mediaFiles, context.team_id, medium);
  return {
    text,
    image: image === null ? null : await stage(image),
    spoken: spoken === null ? null : await stage(spoken),
    generation,
  };
}

async function fetchImage({ fetchImage }: MessageSources, input: SendMessage, signal: AbortSignal) {
  const { image_url: url, image_mime_type: type } = input;
  return fetchImage(url ?? '', { signal, ...(typeof type === 'string' ? { expectedMimeType: type } : {}) });
}

/** Returns null if the AI fails; the message is then sent as written. */
async function rewriteOrNull(
  { rewrite, logger }: Pick<MessageSources, 'rewrite'> & { logger: Pick<Logger, 'warn'> },
  context: SendContext,
  contactNumber: string,
  text: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (rewrite === null) return null;
  const { team_id: teamId, bot_id: botId, device_id: deviceId } = context;
  try {
    const rewritten = await rewrite({ teamId, botId, deviceId, contactNumber, text }, signal);
    const words = toStorableText(rewritten ?? '');
    return words.trim() === '' ? null : [...words].slice(0, longestText).join('');
  } catch (error) {
    logger.warn(
      { err: error, teamId, botId, deviceId },
      'failed to rewrite a message; sending it as written',
    );
    return null;
  }
}

async function speak(
  synthesize: NonNullable<Speech['synthesize']>,
  text: string,
  signal: AbortSignal,
): Promise<SpokenText> {
  try {
    return await synthesize(text, signal);
  } catch (error) {
    throw operationFailed('speech_failed', 'Speech synthesis failed', error);
  }
}
