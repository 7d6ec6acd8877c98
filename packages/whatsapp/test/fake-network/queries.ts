import {
  type BinaryNode,
  encodeBigEndian,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  getBinaryNodeChildUInt,
  KEY_BUNDLE_TYPE,
  S_WHATSAPP_NET,
} from 'baileys';
import type { Accounts, LinkedDevice, Phone } from './accounts.ts';
import type { Bundle } from './signal-party.ts';

export function answerQuery(accounts: Accounts, device: LinkedDevice, query: BinaryNode): BinaryNode {
  return {
    tag: 'iq',
    attrs: { from: S_WHATSAPP_NET, type: 'result', id: query.attrs['id'] ?? '' },
    content: contentFor(accounts, device, query),
  };
}

function contentFor(accounts: Accounts, device: LinkedDevice, query: BinaryNode): BinaryNode[] {
  switch (query.attrs['xmlns']) {
    case 'encrypt':
      return encryption(accounts, device, query);
    case 'usync':
      return users(accounts, query);
    case 'privacy':
      return [{ tag: 'privacy', attrs: {}, content: [] }];
    case 'blocklist':
      return [{ tag: 'list', attrs: {}, content: [] }];
    case 'abt':
      return [{ tag: 'props', attrs: {}, content: [] }];
    default:
      return [];
  }
}

function encryption(accounts: Accounts, device: LinkedDevice, query: BinaryNode): BinaryNode[] {
  if (getBinaryNodeChild(query, 'count')) {
    return [{ tag: 'count', attrs: { value: String(device.preKeys.length) } }];
  }
  if (getBinaryNodeChild(query, 'digest')) return [{ tag: 'digest', attrs: {} }];
  const wanted = getBinaryNodeChild(query, 'key');
  if (wanted) {
    const content = getBinaryNodeChildren(wanted, 'user').flatMap(({ attrs: { jid = '' } }) => {
      const bundle = accounts.findByJid(jid)?.signal.bundle();
      return bundle === undefined ? [] : [bundleNode(jid, bundle)];
    });
    return [{ tag: 'list', attrs: {}, content }];
  }
  for (const key of getBinaryNodeChildren(getBinaryNodeChild(query, 'list'), 'key')) {
    const id = getBinaryNodeChildUInt(key, 'id', 3);
    const value = getBinaryNodeChildBuffer(key, 'value');
    if (id !== undefined && value instanceof Uint8Array) device.preKeys.push({ id, value });
  }
  return [];
}

function bundleNode(jid: string, { registrationId, identity, signedPreKey }: Bundle): BinaryNode {
  return {
    tag: 'user',
    attrs: { jid },
    content: [
      { tag: 'registration', attrs: {}, content: encodeBigEndian(registrationId) },
      { tag: 'type', attrs: {}, content: KEY_BUNDLE_TYPE },
      { tag: 'identity', attrs: {}, content: identity },
      {
        tag: 'skey',
        attrs: {},
        content: [
          { tag: 'id', attrs: {}, content: encodeBigEndian(signedPreKey.id, 3) },
          { tag: 'value', attrs: {}, content: signedPreKey.value },
          { tag: 'signature', attrs: {}, content: signedPreKey.signature },
        ],
      },
    ],
  };
}

/** Lists accounts with their addresses. The phone is the only device of each account. */
function users(accounts: Accounts, query: BinaryNode): BinaryNode[] {
  const list = getBinaryNodeChild(getBinaryNodeChild(query, 'usync'), 'list');
  const content = getBinaryNodeChildren(list, 'user').map((user) => {
    const number = getBinaryNodeChild(user, 'contact')?.content;
    const requested = number === undefined ? user.attrs['jid'] : `${String(number).slice(1)}@s.whatsapp.net`;
    return userNode(requested ?? '', accounts.findByJid(requested ?? ''));
  });
  return [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content }] }];
}

function userNode(jid: string, phone: Phone | null): BinaryNode {
  if (phone === null)
    return { tag: 'user', attrs: { jid }, content: [{ tag: 'contact', attrs: { type: 'out' } }] };
  const content = [{ tag: 'device', attrs: { id: '0' } }];
  return {
    tag: 'user',
    attrs: { jid },
    content: [
      { tag: 'contact', attrs: { type: 'in' } },
      { tag: 'lid', attrs: { val: phone.lid } },
      { tag: 'devices', attrs: {}, content: [{ tag: 'device-list', attrs: {}, content }] },
    ],
  };
}
