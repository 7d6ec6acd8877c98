import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys';
import { type Disconnect, readDisconnect } from './disconnect-reason.ts';
import type { EncryptionLock } from './encryption-lock.ts';

export interface SocketEvents {
  code(text: string): void;
  /** The network no longer accepts the secret in the code. */
  secretRetired(): void;
  /** A phone scanned the code. Only `confirm` makes the library accept the link. */
  scanned(stanza: BinaryNode, confirm: () => void): void;
  open(): void;
  credsChanged(): void;
  /** Runs before the library handles the stanza. */
  message(stanza: BinaryNode): Promise<void> | void;
  acknowledged(stanza: BinaryNode): void;
  /** The network redelivers the receipt unless this resolves. */
  receipt(stanza: BinaryNode): Promise<void>;
  /** The network repeats the stanza unless this resolves. */
  call(stanza: BinaryNode): Promise<void>;
  /** The network restricts new chats until then, or no longer if null. */
  restricted(until: Date | null): void;
  /** The socket closed. `why` is null when the network gave no reason. */
  closed(why: Disconnect | 'no_scan' | null): void;
  /** The socket closed before it received a frame. `closed` follows. */
  unreachable(why: string): void;
}

/** A contact asks for a message again or changed its keys, so the library begins a new encryption session. */
const changesSessions = ({ attrs: { type } }: BinaryNode): boolean => type === 'retry' || type === 'encrypt';

/** Calls the library's listeners only through `handle`. */
function intercept(
  { ws }: WASocket,
  name: string,
  receive: (stanza: BinaryNode, handle: () => Promise<void>) => unknown,
): void {
  const listeners = ws.listeners(name);
  ws.removeAllListeners(name);
  ws.on(name, (stanza: BinaryNode) =>
    receive(stanza, async () => {
      await Promise.all(listeners.map((listener) => listener.call(ws, stanza)));
    }),
  );
}

const acknowledge = (socket: WASocket, { tag, attrs: { id = '', from = '', type = '' } }: BinaryNode) =>
  socket.sendNode({ tag: 'ack', attrs: { id, to: from, class: tag, type } });

/** The library's error message when the last code expired. Its error code is ambiguous. */
const noMoreCodes = 'QR refs attempts ended';

/** Listens to the network's stanzas, because the library emits some events late, after it replied, and others never. */
export function subscribeToSocket(socket: WASocket, lock: EncryptionLock, events: SocketEvents): void {
  const { ev, ws } = socket;
  let reason: Disconnect | null = null;
  const readReason = (node: BinaryNode) => {
    reason ??= readDisconnect(node);
  };
  ws.prependListener('CB:stream:error', readReason);
  ws.prependListener('CB:failure', readReason);
  let handled: Promise<unknown> = Promise.resolve();
  intercept(socket, 'CB:message', (stanza, handle) => {
    // The library would handle new messages before queued ones, and does not report when it has handled a queued one.
    delete stanza.attrs['offline'];
    const handling = handled.then(async () => {
      if (!ws.isOpen) return;
      await events.message(stanza);
      await handle();
    });
    handled = handling.catch(() => undefined);
    return handling;
  });
  ws.on('CB:ack,class:message', events.acknowledged);
  intercept(socket, 'CB:iq,,pair-success', (stanza, confirm) => events.scanned(stanza, () => void confirm()));
  const handleInTurn = (stanza: BinaryNode, handle: () => Promise<void>) => {
    // The library would handle queued ones later, outside the lock.
    delete stanza.attrs['offline'];
    return changesSessions(stanza) ? lock.run('refresh', handle) : handle();
  };
  intercept(socket, 'CB:notification', async (stanza, handle) => {
    if (stanza.attrs['type'] !== 'companion_reg_refresh') return handleInTurn(stanza, handle);
    // The library only acknowledges it, and fails to while no phone is linked.
    await acknowledge(socket, stanza);
    events.secretRetired();
  });
  intercept(socket, 'CB:receipt', (stanza, handle) =>
    // The library confirms a receipt after it has handled it. A failed event has closed the connection.
    events.receipt(stanza).then(
      () => handleInTurn(stanza, handle),
      () => undefined,
    ),
  );
  intercept(socket, 'CB:call', (stanza, handle) => events.call(stanza).then(handle, () => undefined));
  // The library has no answer to it.
  ws.on('CB:iq,xmlns:urn:xmpp:ping', ({ attrs: { id = '', from = S_WHATSAPP_NET, type } }: BinaryNode) => {
    if (type === 'get') void socket.sendNode({ tag: 'iq', attrs: { id, to: from, type: 'result' } });
  });
  ev.on('creds.update', events.credsChanged);
  let reached = false;
  ws.on('frame', () => {
    reached = true;
  });
  ev.on('connection.update', ({ qr, connection, lastDisconnect, reachoutTimeLock }) => {
    if (reachoutTimeLock !== undefined) {
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      if (!isActive) events.restricted(null);
      else if (timeEnforcementEnds !== undefined) events.restricted(timeEnforcementEnds);
    }
    if (qr !== undefined) events.code(qr);
    if (connection === 'open') events.open();
    if (connection !== 'close') return;
    if (!reached) events.unreachable(lastDisconnect?.error?.message ?? 'no reason given');
    events.closed(reason ?? (lastDisconnect?.error?.message === noMoreCodes ? 'no_scan' : null));
  });
}
