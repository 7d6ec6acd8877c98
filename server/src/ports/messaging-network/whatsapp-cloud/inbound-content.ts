import type { MessageContent, MessageDetails, MessageItem } from '../messaging-network.ts';
import type { CloudMedia, CloudMessage } from './webhook-shapes.ts';

export interface ReadContent {
  /** Describes media until they are downloaded. */
  content: Extract<MessageContent, { kind: 'text' }>;
  details?: MessageDetails;
  media?: CloudMedia & { type: MediaType };
}

type MediaType = 'image' | 'voice note' | 'audio' | 'video' | 'sticker' | 'document';

/** Returns null for messages without content for people. */
export function readContent(message: CloudMessage): ReadContent | null {
  const read = readKind(message);
  const quoted = message.context?.id;
  if (read === null || quoted === undefined || quoted === '') return read;
  return { ...read, details: { ...read.details, replyTo: quoted } };
}

const text = (words: string, details?: MessageDetails): ReadContent => ({
  content: { kind: 'text', text: words },
  ...(details && { details }),
});

const unsupported = (contentType: string): ReadContent =>
  text(`[unsupported message: ${contentType}]`, { type: 'unsupported', contentType });

function readKind(message: Partial<CloudMessage>): ReadContent | null {
  const { type = 'unknown', image, audio, video, document, sticker, order } = message;
  switch (type) {
    case 'text':
      return text(message.text?.body ?? '');
    case 'image':
      return readMedia('image', image);
    case 'audio':
      return readMedia(audio?.voice === true ? 'voice note' : 'audio', audio);
    case 'video':
      return readMedia('video', video);
    case 'sticker':
      return readMedia('sticker', sticker);
    case 'document':
      return readMedia('document', document);
    case 'location':
      return readLocation(message.location ?? {});
    case 'contacts':
      return readContacts(message.contacts ?? []);
    case 'reaction':
      return readReaction(message.reaction ?? {});
    case 'button':
      return reply('template_reply', message.button?.text, message.button?.payload);
    case 'interactive':
      return readInteractive(message.interactive ?? {});
    case 'order':
      return readOrder(order ?? {});
    case 'edit':
      return readEdit(message.edit ?? {});
    case 'revoke':
      return text('[deleted a message]', {
        type: 'deletion',
        ...aboutOf(message.revoke?.original_message_id),
      });
    case 'system':
      return null;
    default:
      return unsupported(type === 'unsupported' ? (message.errors?.[0]?.title ?? type) : type);
  }
}

const aboutOf = (id: string | undefined): { about?: string } => (id ? { about: id } : {});

function readMedia(type: MediaType, media: CloudMedia = {}): ReadContent {
  const described = media.filename ? `[${type} ${media.filename}]` : `[${type}]`;
  const isOwnKind = type === 'image' || type === 'voice note' || type === 'document';
  return { ...text(media.caption || described, isOwnKind ? undefined : { type }), media: { ...media, type } };
}

function readLocation({
  latitude = 0,
  longitude = 0,
  name,
  address,
}: NonNullable<CloudMessage['location']>): ReadContent {
  const words = [name, address, `${latitude}, ${longitude}`].filter(Boolean).join(', ');
  const place = { ...(name && { name }), ...(address && { address }) };
  return text(`[location: ${words}]`, { type: 'location', latitude, longitude, ...place });
}

function readContacts(cards: NonNullable<CloudMessage['contacts']>): ReadContent {
  const contacts = cards.map(({ name, phones = [], emails = [] }) => ({
    name: name?.formatted_name ?? '',
    numbers: phones.flatMap(({ phone }) => phone ?? []),
    vcard: [
      ...phones.flatMap(({ phone }) => (phone ? `TEL:${phone}` : [])),
      ...emails.flatMap(({ email }) => (email ? `EMAIL:${email}` : [])),
    ].join('\n'),
  }));
  const words = contacts.map(({ name, numbers }) => [name, ...numbers].filter(Boolean).join(' '));
  return text(`[contact: ${words.join('; ')}]`, {
    type: 'contacts',
    contacts: contacts.map(({ name, vcard }) => ({ name, vcard })),
  });
}

function readReaction({ emoji = '', message_id: about }: NonNullable<CloudMessage['reaction']>): ReadContent {
  return text(emoji ? `[reaction ${emoji}]` : '[reaction removed]', {
    type: 'reaction',
    emoji,
    ...aboutOf(about),
  });
}

const reply = (
  type: 'button_reply' | 'list_reply' | 'template_reply',
  words: string | undefined,
  choice: string | undefined,
): ReadContent => text(words || choice || '[reply]', { type, ...(choice && { choice }) });

function readInteractive(interactive: NonNullable<CloudMessage['interactive']>): ReadContent {
  const { button_reply: button, list_reply: row, nfm_reply: form } = interactive;
  if (button) return reply('button_reply', button.title, button.id);
  if (row) return reply('list_reply', row.title, row.id);
  if (form) return readForm(form);
  return unsupported(`interactive ${interactive.type ?? ''}`.trim());
}

/** Members that only the business's own system understands. */
const hiddenFields: ReadonlySet<string> = new Set(['flow_token', 'wa_flow_response_params']);

function readForm({ body, response_json: json }: { body?: string; response_json?: string }): ReadContent {
  const answers = Object.entries(parseObject(json)).flatMap(([name, value]) =>
    hiddenFields.has(name)
      ? []
      : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
  const fields = answers.map(({ name, value }) => `${name}: ${value}`);
  return text([body, ...fields].filter(Boolean).join('\n') || '[reply]', { type: 'flow_reply', answers });
}

function parseObject(json: string | undefined): object {
  try {
    const parsed: unknown = JSON.parse(json ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function readOrder({
  text: note,
  product_items: products = [],
}: NonNullable<CloudMessage['order']>): ReadContent {
  const items = products.map(
    ({ product_retailer_id: id = '', quantity, item_price: amount, currency }): MessageItem => ({
      name: id,
      ...(id && { id }),
      ...(quantity !== undefined && { quantity }),
      ...(amount !== undefined && { amount }),
      ...(currency && { currency }),
    }),
  );
  const list = items.map(({ name, quantity = 1, amount, currency = '' }) =>
    amount === undefined
      ? `${quantity} × ${name}`
      : `${quantity} × ${name} (${`${amount} ${currency}`.trim()})`,
  );
  const [{ currency } = {}] = items;
  const total = items.reduce((sum, { amount = 0, quantity = 1 }) => sum + amount * quantity, 0);
  const described = list.length === 0 ? '[order]' : `[order: ${list.join(', ')}]`;
  return text([described, note].filter(Boolean).join('\n'), {
    type: 'order',
    items,
    itemCount: items.length,
    ...(items.length > 0 && { amount: Math.round(total * 1000) / 1000 }),
    ...(currency && { currency }),
  });
}

function readEdit({
  original_message_id: id,
  message,
}: NonNullable<CloudMessage['edit']>): ReadContent | null {
  // An edit of media has their new caption.
  const edited = message === undefined || message.type === 'edit' ? null : readKind(message);
  return edited && text(`[edited] ${edited.content.text}`, { type: 'edit', ...aboutOf(id) });
}
