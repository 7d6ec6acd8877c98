import type { SessionEvents } from '@parley/server/messaging-network';
import {
  areJidsSameUser,
  type BinaryNode,
  type Contact,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
} from 'baileys';

type Receipt = Parameters<SessionEvents['receipt']>[0];

const states: Readonly<Record<string, Receipt['state']>> = {
  '': 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'read',
};

/** Reads the receipts of a contact's device. One stanza may name many messages. Skips groups and own devices. */
export function readReceipts(stanza: BinaryNode, me: Pick<Contact, 'id' | 'lid'>): Receipt[] {
  const { from = '', id = '', type = '' } = stanza.attrs;
  const state = states[type];
  const ofContact = isPnUser(from) || isLidUser(from);
  if (state === undefined || !ofContact || areJidsSameUser(from, me.id) || areJidsSameUser(from, me.lid))
    return [];
  const more = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'list'), 'item');
  return [id, ...more.map(({ attrs }) => attrs['id'] ?? '')].map((networkId) => ({ networkId, state }));
}
