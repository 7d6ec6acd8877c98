import { type BinaryNode, getBinaryNodeChild, getErrorCodeFromStreamError } from 'baileys';
import type { DownReason } from '../../../server/src/adapters/messaging-network/messaging-network.ts';

/** Why a connection ended, as the network said it: `outdated` is about the client, not about the device. */
export type DisconnectReason = Extract<
  DownReason,
  'restart_required' | 'logged_out' | 'replaced' | 'banned' | 'connection_lost'
>;

const verdicts: Readonly<Record<number, DisconnectReason>> = {
  401: 'logged_out',
  403: 'banned',
  440: 'replaced',
  515: 'restart_required',
};

/** The code with which the network refuses client versions that it does not speak any more. */
const outdated = 405;

/**
 * What the network said with `stream:error` or `failure`. Only these count: the library gives the same codes to HTTP
 * answers of whatever stands in between.
 */
export function readDisconnectReason(node: BinaryNode, tell: (problem: string) => void): DisconnectReason {
  const code = codeOf(node);
  if (code === outdated) {
    tell('the network refuses this client version: set WHATSAPP_VERSION to a newer one');
  }
  return verdicts[code] ?? 'connection_lost';
}

function codeOf(node: BinaryNode): number {
  if (node.tag === 'failure') return Number(node.attrs['reason']);
  const removed = getBinaryNodeChild(node, 'conflict')?.attrs['type'] === 'device_removed';
  return removed ? 401 : getErrorCodeFromStreamError(node).statusCode;
}
