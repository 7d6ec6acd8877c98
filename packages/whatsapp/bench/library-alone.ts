import { initAuthCreds, makeWASocket, type SignalDataSet, type WASocket } from 'baileys';
import { silentLogger } from '../test/fake-network/silent-logger.ts';

/** Runs devices with the library and keys in memory, without Parley. Its parent sends commands and receives events. */
export type LibraryCommand = { type: 'link' } | { type: 'send'; to: string; messages: number };
export type LibraryEvent =
  | { type: 'code'; text: string }
  | { type: 'ready' }
  | { type: 'open' }
  | { type: 'sent' };

const sockets = new Set<WASocket>();
const emit = (event: LibraryEvent) => process.send?.(event);

function link(creds = initAuthCreds(), keys = memoryKeys()): void {
  const socket = makeWASocket({
    waWebSocketUrl: process.env['FAKE_NETWORK'] ?? '',
    auth: { creds, keys },
    logger: silentLogger,
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    getMessage: async () => undefined,
  });
  sockets.add(socket);
  let shown = false;
  socket.ev.on('creds.update', (changes) => Object.assign(creds, changes));
  socket.ev.on('connection.update', ({ qr, connection }) => {
    if (qr !== undefined && !shown) {
      shown = true;
      emit({ type: 'code', text: qr });
    }
    if (connection === 'open') emit({ type: 'open' });
    if (connection !== 'close') return;
    sockets.delete(socket);
    if (creds.me !== undefined) link(creds, keys);
  });
}

async function send(to: string, messages: number): Promise<void> {
  await Promise.all(
    [...sockets].map(async (socket) => {
      for (let n = 0; n < messages; n += 1) await socket.sendMessage(to, { text: `message ${n}` });
    }),
  );
  emit({ type: 'sent' });
}

function memoryKeys() {
  const stored = new Map<string, unknown>();
  return {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const value = stored.get(`${type} ${id}`);
          // Values are stored by their type.
          return value === undefined ? [] : [[id, value as never]];
        }),
      ),
    set: async (data: SignalDataSet) => {
      for (const [type, values] of Object.entries(data))
        for (const [id, value] of Object.entries(values ?? {})) stored.set(`${type} ${id}`, value);
    },
  };
}

// The encryption library prints sessions.
for (const level of ['info', 'warn', 'error'] as const) console[level] = () => undefined;
// Only the parent sends messages.
process.on('message', (command: LibraryCommand) => {
  if (command.type === 'link') link();
  else void send(command.to, command.messages);
});
emit({ type: 'ready' });
