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

/** Opens a socket of the unmodified client library, which connects at once. */
export function openClientSocket({ url, version, logger, state, receiving }: ClientSocketOptions): WASocket {
  return withRejectionsCaught(() =>
    makeWASocket({
      waWebSocketUrl: url,
      version,
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
      // An empty message would be sent to a contact who requests a retry.
      getMessage: async () => undefined,
      makeSignalRepository: (auth, ownLogger, lidsOf) => {
        const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, ownLogger, lidsOf);
        // The library adds transactions to its keys before this call.
        const keys = auth.keys as SignalKeyStoreWithTransaction;
        return {
          ...repository,
          decryptMessage: (sealed) => receiving.open(sealed, { keys, repository }),
        };
      },
    }),
  );
}

/** Closes the connection at once, without sending another byte. */
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

/**
 * Makes emitters created by `make` report rejected listeners as errors, which close only their socket. Otherwise an invalid
 * frame would end the process and all its sessions.
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
