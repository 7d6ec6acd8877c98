import { type BinaryNode, getBinaryNodeChild, getErrorCodeFromStreamError } from 'baileys';
import type { DownReason } from '../../../server/src/adapters/messaging-network/messaging-network.ts';

export type DisconnectReason = Extract<
  DownReason,
  'restart_required' | 'logged_out' | 'replaced' | 'banned' | 'connection_lost'
>;

const reasons: Readonly<Record<number, DisconnectReason>> = {
  401: 'logged_out',
  403: 'banned',
  440: 'replaced',
  515: 'restart_required',
};

const clientOutdated = 405;

/** Reads `stream:error` and `failure` stanzas only. The library reports the same codes for HTTP errors of proxies. */
export function readDisconnectReason(
  node: BinaryNode,
  onProblem: (problem: string) => void,
): DisconnectReason {
  const code = readCode(node);
  if (code === clientOutdated) {
    onProblem('the network refuses this client version: set WHATSAPP_VERSION to a newer one');
  }
  return reasons[code] ?? 'connection_lost';
}

function readCode(node: BinaryNode): number {
  if (node.tag === 'failure') return Number(node.attrs['reason']);
  const removed = getBinaryNodeChild(node, 'conflict')?.attrs['type'] === 'device_removed';
  return removed ? 401 : getErrorCodeFromStreamError(node).statusCode;
}
