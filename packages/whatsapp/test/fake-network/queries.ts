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
import type { Journal } from './journal.ts';
import type { MediaServer } from './media-server.ts';
import type { Bundle } from './signal-party.ts';

export interface QueryContext {
  accounts: Accounts;
  journal: Journal;
  media: Pick<MediaServer, 'host'>;
  device: LinkedDevice;
}

export function answerQuery(context: QueryContext, query: BinaryNode): BinaryNode {
  return {
    tag: 'iq',
    attrs: { from: S_WHATSAPP_NET, type: 'result', id: query.attrs['id'] ?? '' },
    content: contentFor(context, query),
  };
}

/** The account's setting: contacts see that messages were read. */
const readReceipts: BinaryNode = { tag: 'category', attrs: { name: 'readreceipts', value: 'all' } };

function contentFor(context: QueryContext, query: BinaryNode): BinaryNode[] {
  const { accounts, journal, device } = context;
  switch (query.attrs['xmlns']) {
    case 'encrypt':
      return encryption(context, query);
    case 'usync':
      return users(accounts, device, query, journal);
    case 'privacy': {
      const given = getBinaryNodeChildren(getBinaryNodeChild(query, 'tokens'), 'token');
      for (const { attrs } of given)
        journal.add({ type: 'privacy_token', device: device.phone.number, contact: attrs['jid'] ?? '' });
      if (given.length > 0) return [tokensOf(context, given)];
      return [{ tag: 'privacy', attrs: {}, content: [readReceipts] }];
    }
    case 'blocklist':
      return [{ tag: 'list', attrs: {}, content: [] }];
    case 'w:mex':
      return [{ tag: 'result', attrs: {}, content: Buffer.from(JSON.stringify(restriction(device.phone))) }];
    case 'w:m': {
      const host = { tag: 'host', attrs: { hostname: context.media.host } };
      return [{ tag: 'media_conn', attrs: { auth: 'fake', ttl: '300', max_buckets: '12' }, content: [host] }];
    }
    case 'fb:thrift_iq':
      return order(query);
    case 'abt':
      return [{ tag: 'props', attrs: {}, content: [] }];
    default:
      return [];
  }
}

/** The tokens of contacts who wrote. */
function tokensOf({ accounts, device: { phone } }: QueryContext, given: readonly BinaryNode[]): BinaryNode {
  const content = given.flatMap(({ attrs: { jid = '' } }) => {
    const contact = accounts.findByJid(jid);
    const token = contact === null ? undefined : phone.tokens.get(contact.number);
    if (contact === null || token === undefined || !phone.writers.has(contact.number)) return [];
    const t = String(Math.floor(Date.now() / 1000));
    return [{ tag: 'token', attrs: { jid, t, type: 'trusted_contact' }, content: token }];
  });
  return { tag: 'tokens', attrs: {}, content };
}

/** The token of every order. Other tokens get no products. */
const orderToken = 'TOKEN';

function order(query: BinaryNode): BinaryNode[] {
  const wanted = getBinaryNodeChild(query, 'order');
  const token = getBinaryNodeChild(wanted, 'token')?.content;
  if (wanted === undefined || String(token) !== orderToken) return [];
  const leaf = (tag: string, value: string): BinaryNode => ({ tag, attrs: {}, content: Buffer.from(value) });
  const product = (id: string, name: string, price: string, quantity: string): BinaryNode => ({
    tag: 'product',
    attrs: {},
    content: [
      leaf('id', id),
      leaf('name', name),
      leaf('price', price),
      leaf('currency', 'EUR'),
      leaf('quantity', quantity),
    ],
  });
  const price = { tag: 'price', attrs: {}, content: [leaf('total', '55000'), leaf('currency', 'EUR')] };
  const content = [product('T1', 'Tandem', '25000', '2'), product('H1', 'Helmet', '5000', '1'), price];
  return [{ tag: 'order', attrs: { id: wanted.attrs['id'] ?? '' }, content }];
}

function encryption({ accounts, journal, device }: QueryContext, query: BinaryNode): BinaryNode[] {
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
  const uploaded = getBinaryNodeChildren(getBinaryNodeChild(query, 'list'), 'key');
  if (uploaded.length > 0)
    journal.add({ type: 'pre_keys', device: device.phone.number, count: uploaded.length });
  for (const key of uploaded) {
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

function restriction({ restrictedUntil }: Phone): object {
  const isActive = restrictedUntil !== null && restrictedUntil > new Date();
  return {
    data: {
      xwa2_fetch_account_reachout_timelock: {
        is_active: isActive,
        time_enforcement_ends: isActive ? String(Math.ceil(restrictedUntil.getTime() / 1000)) : '0',
        enforcement_type: 'DEFAULT',
      },
    },
  };
}

/** Lists accounts with their addresses and devices. */
function users(accounts: Accounts, device: LinkedDevice, query: BinaryNode, journal: Journal): BinaryNode[] {
  const list = getBinaryNodeChild(getBinaryNodeChild(query, 'usync'), 'list');
  const numbers: string[] = [];
  const content = getBinaryNodeChildren(list, 'user').map((user) => {
    const number = getBinaryNodeChild(user, 'contact')?.content;
    if (number === undefined) {
      const jid = user.attrs['jid'] ?? '';
      return userNode(jid, accounts.findByJid(jid), device);
    }
    numbers.push(String(number));
    const phone = accounts.getPhone(String(number));
    return userNode(phone?.jid ?? `${String(number).slice(1)}@s.whatsapp.net`, phone, device);
  });
  if (numbers.length > 0) journal.add({ type: 'look_up', device: device.phone.number, numbers });
  return [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content }] }];
}

function userNode(jid: string, phone: Phone | null, asking: LinkedDevice): BinaryNode {
  if (phone === null)
    return { tag: 'user', attrs: { jid }, content: [{ tag: 'contact', attrs: { type: 'out' } }] };
  const ids = phone === asking.phone ? [0, asking.id] : [0];
  const content = ids.map((id) => ({ tag: 'device', attrs: { id: String(id) } }));
  const lid = { tag: 'lid', attrs: { val: phone.lid } };
  return {
    tag: 'user',
    attrs: { jid },
    content: [
      { tag: 'contact', attrs: { type: 'in' } },
      ...(phone.addressing === 'pn_only' ? [] : [lid]),
      { tag: 'devices', attrs: {}, content: [{ tag: 'device-list', attrs: {}, content }] },
    ],
  };
}
