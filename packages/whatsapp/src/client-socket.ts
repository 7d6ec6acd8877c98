import { EventEmitter } from 'node:events';
import {
  DEFAULT_CONNECTION_CONFIG,
  makeWASocket,
  proto,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
  type WASocket,
  type WAVersion,
} from 'baileys';
import type { MessageReceiver } from './message-receiver.ts';
import type { StoredState } from './stored-state.ts';

const { FULL, RECENT } = proto.HistorySync.HistorySyncType;

export interface ClientSocketOptions {
  url: string;
  version: WAVersion;
  logger: SocketConfig['logger'];
  state: StoredState;
  receiving: MessageReceiver;
}

/** A socket of the unmodified client library; connects at once. */
export function openClientSocket({ url, version, logger, state, receiving }: ClientSocketOptions): WASocket {
  return withRejectionsCaught(() =>
    makeWASocket({
      waWebSocketUrl: url,
      version,
      logger,
      auth: state,
      emitOwnEvents: false,
      // The phone goes on telling its owner of messages.
      markOnlineOnConnect: false,
      syncFullHistory: false,
      // Refusing more than these costs the mappings between numbers and LIDs; refusing less holds messages up.
      shouldSyncHistoryMessage: ({ syncType }) => syncType !== FULL && syncType !== RECENT,
      // A failed write ends the session: the next one begins with what is stored.
      transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
      // An empty message here would be sent to a contact who asks for one again.
      getMessage: async () => undefined,
      makeSignalRepository: (auth, ownLogger, lidsOf) => {
        const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, ownLogger, lidsOf);
        // The library gives its keys this before it makes the repository.
        const keys = auth.keys as SignalKeyStoreWithTransaction;
        return {
          ...repository,
          decryptMessage: (sealed) => receiving.open(sealed, { keys, repository }),
        };
      },
    }),
  );
}

/** Breaks the connection at once, so that not a byte more is said on it. The library hears of it like of any other end. */
export function terminate(socket: WASocket): void {
  // The library closes politely, which goes on sending for a while; the WebSocket below, which its types protect, does not.
  const webSocket: unknown = Reflect.get(socket.ws, 'socket');
  if (isTerminable(webSocket)) webSocket.terminate();
}

const isTerminable = (value: unknown): value is { terminate(): void } =>
  typeof value === 'object' &&
  value !== null &&
  'terminate' in value &&
  typeof value.terminate === 'function';

/**
 * Emitters made inside turn the rejection of an asynchronous listener into an error of theirs, which ends their socket.
 * Otherwise a frame that cannot be opened would end the process, with everybody's sessions.
 */
function withRejectionsCaught<Result>(make: () => Result): Result {
  const before = EventEmitter.captureRejections;
  EventEmitter.captureRejections = true;
  try {
    return make();
  } finally {
    EventEmitter.captureRejections = before;
  }
}
