import type { DownReason } from '@parley/server/messaging-network';
import { type BinaryNode, getBinaryNodeChild, getErrorCodeFromStreamError } from 'baileys';

export interface Disconnect {
  reason: Extract<
    DownReason,
    | 'restart_required'
    | 'logged_out'
    | 'replaced'
    | 'banned'
    | 'suspended'
    | 'client_outdated'
    | 'unavailable'
    | 'connection_lost'
  >;
  /** The end of a suspension, if the network gave it. */
  until?: Date;
}

const reasons: Readonly<Record<number, Disconnect['reason']>> = {
  401: 'logged_out',
  402: 'suspended',
  /** The linked phone's account is gone or locked. */
  403: 'logged_out',
  405: 'client_outdated',
  406: 'banned',
  440: 'replaced',
  515: 'restart_required',
};

/** Reads `stream:error` and `failure` stanzas only. The library reports the same codes for HTTP errors of proxies. */
export function readDisconnect(node: BinaryNode): Disconnect {
  const code = readCode(node);
  const reason = reasons[code] ?? (node.tag === 'failure' ? 'unavailable' : 'connection_lost');
  const seconds = Number(node.attrs['expire']);
  return reason === 'suspended' && seconds > 0
    ? { reason, until: new Date(Date.now() + seconds * 1000) }
    : { reason };
}

function readCode(node: BinaryNode): number {
  if (node.tag === 'failure') return Number(node.attrs['reason']);
  const removed = getBinaryNodeChild(node, 'conflict')?.attrs['type'] === 'device_removed';
  return removed ? 401 : getErrorCodeFromStreamError(node).statusCode;
}
