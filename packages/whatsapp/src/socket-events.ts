import type { BinaryNode, ConnectionState, WASocket } from 'baileys';
import { type DisconnectReason, readDisconnectReason } from './disconnect-reason.ts';

/** What a session wants to know of a socket. */
export interface SocketEvents {
  /** A code to scan, replacing the one before it. */
  code(text: string): void;
  /** A phone scanned the code. `confirm` lets the library take the link; without it the phone is told nothing. */
  scanned(stanza: BinaryNode, confirm: () => void): void;
  open(): void;
  credsChanged(): void;
  /** A message, not opened yet. */
  message(stanza: BinaryNode): void;
  /** The network's answer to a message of ours. */
  acknowledged(stanza: BinaryNode): void;
  /** A contact's device got or read something. */
  receipt(stanza: BinaryNode): void;
  /** The socket is gone, with the network's word on it, if it gave one; or because no code was scanned. */
  closed(why: DisconnectReason | 'no_scan' | null): void;
  problem(problem: string): void;
  /** The socket is gone before anything came in on it; `closed` follows. */
  unreachable(why: string): void;
}

const pairSuccess = 'CB:iq,,pair-success';
/** The library's words when the last code has had its time; its code for it means other things as well. */
const noMoreCodes = 'QR refs attempts ended';

/**
 * Listens to the network's own stanzas: the library's events come late, when it has answered the network already, and
 * some not at all.
 */
export function subscribeToSocket(socket: WASocket, events: SocketEvents): void {
  const { ev, ws } = socket;
  let verdict: DisconnectReason | null = null;
  const judge = (node: BinaryNode) => {
    verdict ??= readDisconnectReason(node, events.problem);
  };
  ws.prependListener('CB:stream:error', judge);
  ws.prependListener('CB:failure', judge);
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
  let heard = false;
  ws.on('frame', () => {
    heard = true;
  });
  ev.on('connection.update', ({ qr, connection, lastDisconnect }: Partial<ConnectionState>) => {
    if (qr !== undefined) events.code(qr);
    if (connection === 'open') events.open();
    if (connection !== 'close') return;
    if (!heard) events.unreachable(lastDisconnect?.error?.message ?? 'no reason given');
    events.closed(verdict ?? (lastDisconnect?.error?.message === noMoreCodes ? 'no_scan' : null));
  });
}
