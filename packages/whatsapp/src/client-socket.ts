import { EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import {
  type CacheStore,
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  makeWASocket,
  proto,
  S_WHATSAPP_NET,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
  type WABrowserDescription,
  type WASocket,
  type WAVersion,
} from 'baileys';
import type { EncryptionLock, EncryptionUse } from './encryption-lock.ts';
import type { MessageReceiver } from './message-receiver.ts';
import { findSessionId, makeSignalRepository, type Repository } from './signal-repository.ts';
import type { StoredState } from './stored-state.ts';

const { FULL, RECENT } = proto.HistorySync.HistorySyncType;

export interface ClientSocketOptions {
  url: string;
  version: WAVersion;
  logger: SocketConfig['logger'];
  state: StoredState;
  receiver: MessageReceiver;
  lock: EncryptionLock;
  browser: WABrowserDescription;
  /** Whether groups, channels and status are decrypted and confirmed. They are never answered. */
  readsGroups: boolean;
  /** Undefined on a miss. An empty message would be sent to the contact. */
  findSent(message: { id: string; chat: string }): Promise<proto.IMessage | undefined>;
}

const alwaysRequested: CacheStore = {
  get: <Value>() => true as Value,
  set: () => undefined,
  del: () => undefined,
  flushAll: () => undefined,
};

/** Without an agent, a WebSocket would ignore the proxy in `HTTPS_PROXY`. Only tests connect without TLS. */
const getAgent = (url: string): https.Agent =>
  new URL(url).protocol === 'wss:' ? https.globalAgent : (http.globalAgent as https.Agent);

/** The name in the phone's list of devices. Null for the library's. */
export const toBrowser = (clientName: string | null): WABrowserDescription =>
  clientName === null ? [...DEFAULT_CONNECTION_CONFIG.browser] : [clientName, 'Chrome', '1.0'];

const isChatOfContact = (jid: string): boolean =>
  isPnUser(jid) === true || isLidUser(jid) === true || jid === S_WHATSAPP_NET;

export function openClientSocket(options: ClientSocketOptions): WASocket {
  const { url, version, logger, state, receiver, lock, browser, readsGroups, findSent } = options;
  return withRejectionsCaught(() =>
    makeWASocket({
      waWebSocketUrl: url,
      agent: getAgent(url),
      // The library would start a timer and capture two stack traces for each frame. The pool closes a session that does not open.
      connectTimeoutMs: 0,
      version,
      browser,
      logger,
      auth: state,
      emitOwnEvents: false,
      // The phone keeps its notifications.
      markOnlineOnConnect: false,
      syncFullHistory: false,
      // Skipping other types would lose mappings between numbers and LIDs. These two delay messages.
      shouldSyncHistoryMessage: ({ syncType }) => syncType !== FULL && syncType !== RECENT,
      // A failed write ends the session, so there is nothing to retry.
      transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
      getMessage: ({ id, remoteJid }) => findSent({ id: id ?? '', chat: jidNormalizedUser(remoteJid ?? '') }),
      shouldIgnoreJid: (jid) => !readsGroups && !isChatOfContact(jid),
      // Makes the library believe that it already asked the phone for a placeholder's message. `Placeholders` asks.
      placeholderResendCache: alwaysRequested,
      makeSignalRepository: (auth, ownLogger, findLids) => {
        const repository = makeSignalRepository(auth, ownLogger, findLids);
        // The library adds transactions to its keys before this call.
        const keys = auth.keys as SignalKeyStoreWithTransaction;
        return {
          ...repository,
          decryptMessage: (encrypted) => receiver.decrypt(encrypted, { keys, repository }),
          encryptMessage: (message) => encryptDurably(message, { keys, repository, state }),
          migrateSession: (from, to) => lock.run('refresh', () => repository.migrateSession(from, to)),
          injectE2ESession: async (injected) => {
            if (await mustKeepSession(injected.jid, lock.use, repository)) return;
            await repository.injectE2ESession(injected);
          },
        };
      },
    }),
  );
}

/**
 * Stores the advanced session before the library sends the message. The library stores it afterwards, and if the process died
 * in between, later messages of the contact could not be decrypted.
 */
async function encryptDurably(
  message: Parameters<Repository['encryptMessage']>[0],
  { keys, repository, state }: { keys: SignalKeyStore; repository: Repository; state: StoredState },
): ReturnType<Repository['encryptMessage']> {
  const encrypted = await repository.encryptMessage(message);
  const id = await findSessionId(message.jid, repository);
  // Inside the library's transaction, this is the session that it has not stored yet.
  const { [id]: session } = await keys.get('session', [id]);
  if (session !== undefined) await state.write([{ kind: 'session', id, value: session }]);
  return encrypted;
}

/**
 * When it looks up a recipient's devices, the library begins new encryption sessions with the recipient and its own phone. It
 * keeps the last 40 sessions of an address and stores all of them with each message, so a valid session must stay.
 */
const mustKeepSession = async (
  jid: string,
  use: EncryptionUse | null,
  repository: Pick<Repository, 'validateSession'>,
): Promise<boolean> => use === 'send' && (await repository.validateSession(jid)).exists;

const logoutTimeoutMs = 10_000;

/** Throws unless the network confirms in time. */
export async function unlink(socket: Pick<WASocket, 'query'>, jid: string): Promise<void> {
  const request = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } };
  const attrs = { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' };
  const response: unknown = await socket.query({ tag: 'iq', attrs, content: [request] }, logoutTimeoutMs);
  if (response === undefined) throw new Error('the network did not respond in time');
}

export function terminate(socket: WASocket): void {
  // The library's own close sends pending frames first. Its types hide the WebSocket.
  const webSocket: unknown = Reflect.get(socket.ws, 'socket');
  if (isTerminable(webSocket)) webSocket.terminate();
}

const isTerminable = (value: unknown): value is { terminate(): void } =>
  typeof value === 'object' &&
  value !== null &&
  'terminate' in value &&
  typeof value.terminate === 'function';

/** Turns a rejected listener into an error of its socket. Otherwise an invalid frame would end the process. */
function withRejectionsCaught<Result>(create: () => Result): Result {
  const previous = EventEmitter.captureRejections;
  EventEmitter.captureRejections = true;
  try {
    return create();
  } finally {
    EventEmitter.captureRejections = previous;
  }
}
