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
  receiver: MessageReceiver;
}

export function openClientSocket({ url, version, logger, state, receiver }: ClientSocketOptions): WASocket {
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
      makeSignalRepository: (auth, ownLogger, findLids) => {
        const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, ownLogger, findLids);
        // The library adds transactions to its keys before this call.
        const keys = auth.keys as SignalKeyStoreWithTransaction;
        return {
          ...repository,
          decryptMessage: (encrypted) => receiver.decrypt(encrypted, { keys, repository }),
        };
      },
    }),
  );
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
