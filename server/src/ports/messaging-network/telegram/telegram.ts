import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../platform/shared/logger.ts';
import { botIdOf, readCredentials } from '../credentials.ts';
import {
  type DownReason,
  type InboundMessage,
  type MessagingNetwork,
  type OutboundMessage,
  SendOutcomeUnknown,
  SendPostponed,
  SendRefused,
  type SessionOptions,
} from '../messaging-network.ts';
import { type OpenedSession, PushedNetwork } from '../pushed-session.ts';
import { type ReadUpdate, readUpdate } from './inbound.ts';
import { toCalls } from './outbound.ts';
import { createTelegramClient, type TelegramClient, TelegramRefusal } from './telegram-client.ts';
import { type Message, messageKey, type Update, updateTypes } from './updates.ts';

export interface TelegramOptions {
  /** The address of the Bot API. */
  baseUrl: string;
  /** Where Telegram pushes the updates of an account. */
  webhookUrl(accountKey: string): string;
  logger: Pick<Logger, 'error' | 'warn'>;
}

/** Bots of Telegram. */
export const createTelegramNetwork = (options: TelegramOptions): MessagingNetwork =>
  new PushedNetwork({
    name: 'telegram',
    logger: options.logger,
    open: (session, signal) => open(options, session, signal),
    findDownReason,
    toSendError,
  });

/** A token of another form is not found. */
const refusesToken = (error: unknown): boolean =>
  error instanceof TelegramRefusal && (error.code === 401 || error.code === 404);

/** Telegram also refuses a webhook whose address is not public. */
const findDownReason = (error: unknown): DownReason | null =>
  refusesToken(error) ? 'credentials_invalid' : error instanceof TelegramRefusal ? 'unavailable' : null;

interface Bot {
  client: TelegramClient;
  id: string;
  session: SessionOptions;
  logger: TelegramOptions['logger'];
  signal: AbortSignal;
}

async function open(
  { baseUrl, webhookUrl, logger }: TelegramOptions,
  session: SessionOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const credentials = await readCredentials(session.store, 'telegram');
  if (credentials === null) throw new TelegramRefusal(401, 'the device has no credentials');
  const client = createTelegramClient(baseUrl, credentials.fields['bot_token'] ?? '');
  const webhook = {
    url: webhookUrl(credentials.accountKey),
    secret_token: credentials.verifyToken,
    allowed_updates: updateTypes,
    // Otherwise later updates could overtake earlier ones.
    max_connections: 1,
  };
  await client.call('setWebhook', webhook, signal);
  const bot = { client, id: botIdOf(credentials.fields), session, logger, signal };
  return {
    handle: ({ payload }) => receive(bot, payload as Update), // the webhook stored it
    send: (message, aborted) => send(bot, message, AbortSignal.any([signal, aborted])),
  };
}

async function receive(bot: Bot, update: Update): Promise<void> {
  const { session, client, signal } = bot;
  const { chat, business_connection_id: connection } = update.business_message ?? {};
  if (chat !== undefined && connection !== undefined)
    await session.store.write([{ ...businessEntry(chat.id), value: Buffer.from(connection) }]);
  for (const read of readUpdate(bot.id, update)) await session.events.inbound(await withFile(bot, read));
  const button = update.callback_query?.id;
  // The app shows that the button works until then, and at most for a minute.
  if (button !== undefined)
    await client.call('answerCallbackQuery', { callback_query_id: button }, signal).catch(() => undefined);
}

/** The chat of a business account needs the id of its connection with the bot. */
const businessEntry = (chatId: number | string) => ({ kind: 'telegram', id: `business ${chatId}` });

const maxFileBytes = 16 * 1024 * 1024;
/** Later messages of the device wait meanwhile. */
const fileAttempts = 3;

async function withFile(bot: Bot, { message, file }: ReadUpdate, attempt = 1): Promise<InboundMessage> {
  if (file === null) return message;
  const without = (missingMedia: 'too_large' | 'unavailable') => ({
    ...message,
    details: { ...message.details, missingMedia },
  });
  if ((file.file_size ?? 0) > maxFileBytes) return without('too_large');
  try {
    const bytes = await bot.client.download(file.file_id, maxFileBytes, bot.signal);
    return bytes === null ? without('too_large') : { ...message, content: file.toContent(bytes) };
  } catch (error) {
    if (bot.signal.aborted || refusesToken(error)) throw error;
    const isFinal = error instanceof TelegramRefusal && error.code !== 429;
    if (!isFinal && attempt < fileAttempts) {
      await delay(1000 * attempt, undefined, { signal: bot.signal });
      return withFile(bot, { message, file }, attempt + 1);
    }
    bot.logger.warn({ err: error }, 'a file of a message is not available');
    return without(/too big/.test(String(error)) ? 'too_large' : 'unavailable');
  }
}

/** Returns the key of the first of the messages. */
async function send(bot: Bot, { to, ...message }: OutboundMessage, signal: AbortSignal): Promise<string> {
  const [, chatId] = /^tg:(\d+)$/.exec(to) ?? [];
  if (chatId === undefined) throw new SendRefused('recipient_unknown');
  const { kind, id } = businessEntry(chatId);
  const stored = await bot.session.store.read(kind, [id]).catch((error: unknown) => {
    bot.logger.warn({ err: error }, 'a message waits, because the state of its session cannot be read');
    throw new SendPostponed(5);
  });
  const connection = stored.get(id);
  const chat = {
    chat_id: chatId,
    ...(connection && { business_connection_id: Buffer.from(connection).toString() }),
  };
  const [first, ...others] = toCalls(chat, message);
  if (first === undefined) throw new SendRefused('network_refused');
  // The Bot API returns the message.
  const sent = (await bot.client.call(first.method, first.parameters, signal)) as Message;
  for (const { method, parameters } of others)
    await bot.client.call(method, parameters, signal).catch((error: unknown) => {
      bot.logger.warn({ err: error }, 'Telegram accepted a message but not a later part of it');
    });
  return messageKey(bot.id, sent.chat, sent.message_id);
}

/** What the failure of a call says about the message. */
function toSendError(error: unknown): Error {
  if (!(error instanceof TelegramRefusal))
    return error instanceof Error ? error : new SendOutcomeUnknown(error);
  if (error.code === 429) return new SendPostponed(error.retryAfterSeconds ?? 5);
  if (refusesToken(error)) return new SendPostponed(2);
  const isUnknown = /chat not found|user is deactivated/i.test(error.message);
  return new SendRefused(isUnknown ? 'recipient_unknown' : 'network_refused', error.code);
}
