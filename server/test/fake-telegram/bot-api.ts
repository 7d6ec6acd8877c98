import { setTimeout as delay } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: the Bot API takes and returns objects of many shapes
export type Json = any;

/** What happens to the next call of a method. */
export interface Fault {
  /** `lost`: it has its effect, but the response does not arrive. */
  kind: 'lost' | 'refused';
  code?: number;
  description?: string;
  retryAfter?: number;
}

/** The Bot API refuses a call. */
export class Refusal extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;
  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** A file of the body of a call. */
export interface SentFile {
  name: string;
  type: string;
  bytes: Buffer;
}

interface StoredFile {
  path: string;
  bytes: Buffer;
  size: number;
}

/** Between two attempts to push an update. The real one waits longer and longer. */
const retryMs = 50;
const maxDownload = 20_000_000;

/** One bot of the Bot API as https://core.telegram.org/bots/api describes it. */
export class FakeBot {
  readonly token: string;
  readonly me: Json;
  readonly faults = new Map<string, Fault[]>();
  /** What users see of the bot, by chat, in order. */
  readonly sent: { chatId: number; method: string; message: Json; file: SentFile | null }[] = [];
  readonly answered: string[] = [];
  /** Where a reverse proxy leads the pushes. Null: to the address of the webhook. */
  origin: string | null = null;
  readonly #files = new Map<string, StoredFile>();
  readonly #users = new Map<number, Json>();
  readonly #blocked = new Set<number>();
  readonly #messages = new Map<string, Json>();
  #webhook: { url: string; secret: string; allowed: string[] | null } | null = null;
  #lastUpdate = 100_000;
  #lastMessage = 0;
  readonly #pending: Json[] = [];
  #pushing = false;
  #delivered: Json | null = null;

  constructor(id: number) {
    this.token = `${id}:${'A'.repeat(35)}`;
    this.me = { id, is_bot: true, first_name: 'Lumen', username: `lumen_${id}_bot`, can_join_groups: true };
  }

  call(method: string, given: Json, file: SentFile | null): Json {
    switch (method) {
      case 'getMe':
        return this.me;
      case 'setWebhook':
        return this.#setWebhook(given);
      case 'deleteWebhook':
        this.#webhook = null;
        return true;
      case 'getWebhookInfo':
        return { url: this.#webhook?.url ?? '', pending_update_count: this.#pending.length };
      case 'sendMessage':
      case 'sendPhoto':
      case 'sendVoice':
      case 'sendDocument':
        return this.#send(method, given, file);
      case 'getFile':
        return this.#getFile(given.file_id);
      case 'answerCallbackQuery':
        this.answered.push(given.callback_query_id);
        return true;
      default:
        throw new Refusal(404, 'Not Found');
    }
  }

  #setWebhook({
    url,
    secret_token: secret = '',
    allowed_updates: allowed,
    max_connections: most = 40,
  }: Json) {
    // The real one takes https only.
    if (!/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(url ?? ''))
      throw new Refusal(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook');
    if (!/^[A-Za-z0-9_-]{0,256}$/.test(secret))
      throw new Refusal(400, 'Bad Request: secret token contains unallowed characters');
    if (!(Number(most) >= 1 && Number(most) <= 100))
      throw new Refusal(400, 'Bad Request: MAX_CONNECTIONS_INVALID');
    this.#webhook = { url, secret, allowed: allowed ?? null };
    void this.#pushAll();
    return true;
  }

  #send(method: string, given: Json, file: SentFile | null): Json {
    const chatId = Number(given.chat_id);
    const user = this.#users.get(chatId);
    if (user === undefined) throw new Refusal(400, 'Bad Request: chat not found');
    if (this.#blocked.has(chatId)) throw new Refusal(403, 'Forbidden: bot was blocked by the user');
    const [words, limit, name] =
      method === 'sendMessage' ? [given.text ?? '', 4096, 'text'] : [given.caption ?? '', 1024, 'caption'];
    if (method === 'sendMessage' && words.trim() === '')
      throw new Refusal(400, 'Bad Request: message text is empty');
    if (words.length > limit)
      throw new Refusal(400, `Bad Request: message${name === 'caption' ? ' caption' : ''} is too long`);
    const entities = readJsonMember(name === 'text' ? given.entities : given.caption_entities);
    for (const { offset, length } of entities)
      if (!(offset >= 0 && length > 0 && offset + length <= words.length))
        throw new Refusal(400, 'Bad Request: entity beyond the end of the text');
    const message = {
      ...this.#newMessage(chatId, this.me),
      ...(given.business_connection_id && { business_connection_id: given.business_connection_id }),
      ...(words !== '' && { [name]: words, ...(entities.length > 0 && { [entitiesOf(name)]: entities }) }),
      ...(given.reply_markup && { reply_markup: readJsonMember(given.reply_markup) }),
      ...this.#medium(method, file),
    };
    this.#messages.set(`${chatId}/${message.message_id}`, message);
    this.sent.push({ chatId, method, message, file });
    return message;
  }

  #medium(method: string, file: SentFile | null): Json {
    if (method === 'sendMessage') return {};
    if (file === null) throw new Refusal(400, 'Bad Request: there is no file in the request');
    if (method === 'sendPhoto' && file.bytes.length > 10_000_000)
      throw new Refusal(400, 'Bad Request: file is too big');
    const reference = this.addFile(file.bytes, file.name);
    if (method === 'sendPhoto') return { photo: [{ ...reference, width: 1, height: 1 }] };
    const described = { ...reference, mime_type: file.type };
    return method === 'sendVoice'
      ? { voice: described }
      : { document: { ...described, file_name: file.name } };
  }

  #getFile(fileId: string): Json {
    const file = this.#files.get(fileId);
    if (file === undefined)
      throw new Refusal(400, 'Bad Request: wrong file_id or the file is temporarily unavailable');
    if (file.size > maxDownload) throw new Refusal(400, 'Bad Request: file is too big');
    return { file_id: fileId, file_unique_id: fileId, file_size: file.size, file_path: file.path };
  }

  /** `size` is what the Bot API says about it. */
  addFile(bytes: Buffer, name: string, size = bytes.length): Json {
    const id = `file-${this.#files.size}`;
    this.#files.set(id, { path: `files/${id}-${name.replaceAll(/[^\w.]/g, '_')}`, bytes, size });
    return { file_id: id, file_unique_id: id, file_size: size };
  }

  download(path: string): Buffer | null {
    return [...this.#files.values()].find((file) => file.path === path)?.bytes ?? null;
  }

  addUser(user: Json): void {
    this.#users.set(user.id, user);
  }

  setBlocked(userId: number, isBlocked: boolean): void {
    if (isBlocked) this.#blocked.add(userId);
    else this.#blocked.delete(userId);
  }

  #newMessage(chatId: number, from: Json): Json {
    const { id, first_name, last_name, username } = this.#users.get(chatId) ?? { id: chatId };
    this.#lastMessage += 1;
    return {
      message_id: this.#lastMessage,
      date: Math.floor(Date.now() / 1000),
      chat: { id, type: 'private', first_name, last_name, username },
      from,
    };
  }

  /** A user writes to the bot. `content` are the members of the message. */
  write(userId: number, content: Json, kind = 'message'): Json {
    const from = content.from ?? this.#users.get(userId);
    const message = { ...this.#newMessage(userId, from), ...content };
    this.#messages.set(`${userId}/${message.message_id}`, message);
    this.update(kind, message);
    return message;
  }

  findMessage(chatId: number, messageId: number): Json {
    return this.#messages.get(`${chatId}/${messageId}`);
  }

  update(kind: string, content: Json): void {
    this.#lastUpdate += 1;
    const isAsked = this.#webhook?.allowed?.includes(kind) ?? kind !== 'message_reaction';
    if (!isAsked) return;
    this.#pending.push({ update_id: this.#lastUpdate, [kind]: content });
    void this.#pushAll();
  }

  /** As after a response that got lost. */
  repeatLast(): void {
    if (this.#delivered !== null) this.#pending.unshift(this.#delivered);
    void this.#pushAll();
  }

  pendingCount(): number {
    return this.#pending.length;
  }

  /** One at a time and in order. An update stays until the webhook has taken it. */
  async #pushAll(): Promise<void> {
    if (this.#pushing) return;
    this.#pushing = true;
    while (this.#pending.length > 0 && this.#webhook !== null) {
      const [update] = this.#pending;
      const { url: address, secret } = this.#webhook;
      const url = new URL(
        this.origin === null ? address : new URL(address).pathname,
        this.origin ?? undefined,
      );
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify(update),
      }).catch(() => null);
      await response?.body?.cancel();
      if (response?.ok) {
        this.#pending.splice(this.#pending.indexOf(update), 1);
        this.#delivered = update;
      } else await delay(retryMs);
    }
    this.#pushing = false;
  }
}

const entitiesOf = (name: string) => (name === 'text' ? 'entities' : 'caption_entities');

/** Forms contain objects as JSON. */
const readJsonMember = (value: Json): Json => (typeof value === 'string' ? JSON.parse(value) : (value ?? []));
