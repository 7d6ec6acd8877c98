import type { BinaryNode, ConnectionState, WASocket } from 'baileys';
import { type DisconnectReason, readDisconnectReason } from './disconnect-reason.ts';

export interface SocketEvents {
  code(text: string): void;
  /** A phone scanned the code. Only `confirm` makes the library accept the link. */
  scanned(stanza: BinaryNode, confirm: () => void): void;
  open(): void;
  credsChanged(): void;
  message(stanza: BinaryNode): void;
  acknowledged(stanza: BinaryNode): void;
  receipt(stanza: BinaryNode): void;
  /** The socket closed. `why` is null when the network gave no reason. */
  closed(why: DisconnectReason | 'no_scan' | null): void;
  problem(problem: string): void;
  /** The socket closed before it received a frame. `closed` follows. */
  unreachable(why: string): void;
}

const pairSuccess = 'CB:iq,,pair-success';
/** The library's error message when the last code expired. Its error code is ambiguous. */
const noMoreCodes = 'QR refs attempts ended';

/** Listens to the network's stanzas, because the library emits some events late, after it replied, and others never. */
export function subscribeToSocket(socket: WASocket, events: SocketEvents): void {
  const { ev, ws } = socket;
  let reason: DisconnectReason | null = null;
  const readReason = (node: BinaryNode) => {
    reason ??= readDisconnectReason(node, events.problem);
  };
  ws.prependListener('CB:stream:error', readReason);
  ws.prependListener('CB:failure', readReason);
  ws.prependListener('CB:message', events.message);
  ws.on('CB:ack,class:message', events.acknowledged);
  ws.on('CB:receipt', events.receipt);
  const confirming = ws.listeners(pairSuccess);
  ws.removeAllListeners(pairSuccess);
  ws.on(pairSuccess, (stanza: BinaryNode) =>
    events.scanned(stanza, () => {
      for (const confirm of confirming) confirm.call(ws, stanza);
    }),
  );
  ev.on('creds.update', events.credsChanged);
  let reached = false;
  ws.on('frame', () => {
    reached = true;
  });
  ev.on('connection.update', ({ qr, connection, lastDisconnect }: Partial<ConnectionState>) => {
    if (qr !== undefined) events.code(qr);
    if (connection === 'open') events.open();
    if (connection !== 'close') return;
    if (!reached) events.unreachable(lastDisconnect?.error?.message ?? 'no reason given');
    events.closed(reason ?? (lastDisconnect?.error?.message === noMoreCodes ? 'no_scan' : null));
  });
}
