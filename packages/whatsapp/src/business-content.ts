import { setTimeout as delay } from 'node:timers/promises';
import type { InboundMessage, MessageDetails, MessageItem } from '@parley/server/messaging-network';
import type { proto, WASocket } from 'baileys';
import {
  describeAmount,
  type OrderReference,
  type ReadContent,
  readAmount,
  readId,
  text,
  unsupported,
} from './content-text.ts';
import { readMedia } from './media-reference.ts';

const lines = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join('\n');

export function readProduct({ product, body, footer }: proto.Message.IProductMessage): ReadContent {
  const { title, productId, retailerId, currencyCode, priceAmount1000, salePriceAmount1000 } = product ?? {};
  const price = readAmount(salePriceAmount1000 ?? priceAmount1000, currencyCode);
  const id = retailerId || productId;
  const item: MessageItem = { name: title ?? '', ...(id && { id }), ...price };
  const described = [title, describeAmount(price)].filter(Boolean).join(', ');
  return text(lines(`[product: ${described}]`, body, footer), { type: 'product', items: [item] });
}

/** Customers send carts as orders. The message itself has no products. */
export function readOrder(order: proto.Message.IOrderMessage): ReadContent {
  const total = readAmount(order.totalAmount1000, order.totalCurrencyCode);
  const { orderId, token, message, orderTitle } = order;
  const itemCount = order.itemCount ?? undefined;
  const details: MessageDetails = {
    type: 'order',
    ...(orderId && { orderId }),
    ...(itemCount !== undefined && { itemCount }),
    ...total,
  };
  const read = text(lines(describeOrder(details), message || orderTitle), details);
  return orderId && token ? { ...read, order: { id: orderId, token } } : read;
}

function describeOrder({ items, itemCount, ...total }: MessageDetails): string {
  const list = items?.map(({ name, quantity = 1, ...price }) => {
    const each = describeAmount(price);
    return `${quantity} × ${name}${each && ` (${each})`}`;
  });
  const count = itemCount === undefined ? undefined : `${itemCount} ${itemCount === 1 ? 'item' : 'items'}`;
  const amount = describeAmount(total);
  const described = [list?.join(', ') || count, amount && `total ${amount}`].filter(Boolean).join('; ');
  return described === '' ? '[order]' : `[order: ${described}]`;
}

interface OrderProducts {
  price: { total: number; currency: string };
  products: readonly { id: string; name: string; price: number; currency: string; quantity: number }[];
}

/** Adds the products that the network has of an order. Their prices are thousandths. */
function withProducts(details: MessageDetails, { products, price }: OrderProducts): MessageDetails {
  const items = products.map(({ id, name, quantity, ...each }) => ({
    name,
    ...(id && { id }),
    ...(Number.isFinite(quantity) && { quantity }),
    ...readAmount(each.price, each.currency),
  }));
  return { ...details, ...readAmount(price.total, price.currency), items };
}

/** The chat waits meanwhile. */
const orderTimeoutMs = 10_000;

/** Returns the message with the products of its order, or without them if the network does not return them in time. */
export async function fetchProducts(
  message: InboundMessage,
  { id, token }: OrderReference,
  {
    waitForSocket,
    warn,
  }: { waitForSocket(): Promise<Pick<WASocket, 'getOrderDetails'>>; warn(why: string): void },
): Promise<InboundMessage> {
  try {
    const socket = await waitForSocket();
    const timeout = delay(orderTimeoutMs, null, { ref: false });
    const ordered = await Promise.race([socket.getOrderDetails(id, token), timeout]);
    if (ordered === null) throw new Error('the network did not respond in time');
    const details = withProducts(message.details ?? {}, ordered);
    const [, ...note] = message.content.kind === 'text' ? message.content.text.split('\n') : [];
    const words = [describeOrder(details), ...note].join('\n');
    return { ...message, details, content: { kind: 'text', text: words } };
  } catch (error) {
    warn(`the products of an order are unknown: ${String(error)}`);
    return message;
  }
}

const payment = (words: string, note: string | null | undefined, more: MessageDetails = {}): ReadContent =>
  text(lines(`[${words}]`, note), { type: 'payment', ...more });

const readNote = (note: proto.IMessage | null | undefined): string | null | undefined =>
  note?.conversation || note?.extendedTextMessage?.text;

export const readPayment = (sent: proto.Message.ISendPaymentMessage): ReadContent =>
  payment('payment', readNote(sent.noteMessage), readId(sent.requestMessageKey));

export function readPaymentRequest(request: proto.Message.IRequestPaymentMessage): ReadContent {
  const { amount1000, currencyCodeIso4217, amount: money, noteMessage } = request;
  const amount =
    amount1000 === null || amount1000 === undefined
      ? readAmount(money?.value, money?.currencyCode, money?.offset || 1000)
      : readAmount(amount1000, currencyCodeIso4217);
  const described = describeAmount(amount);
  return payment(`payment request${described && `: ${described}`}`, readNote(noteMessage), amount);
}

export const readPaymentAnswer = (
  words: 'declined' | 'cancelled',
  { key }: proto.Message.IDeclinePaymentRequestMessage,
): ReadContent => payment(`${words} a payment request`, null, readId(key));

export const readPaymentInvitation = (): ReadContent => payment('payment invitation', null);

export const readInvoice = ({ note }: proto.Message.IInvoiceMessage): ReadContent => payment('invoice', note);

/** Messages that businesses write with buttons and lists. */
function businessMessage(
  contentType: string,
  words: string,
  options: readonly (string | null | undefined)[],
  header: proto.IMessage = {},
): ReadContent {
  const names = options.flatMap((name) => name || []);
  const media = readMedia(header);
  if (words === '' && names.length === 0 && media === null) return unsupported(contentType);
  const shown = words || media?.caption || `[${media?.type ?? names.join(', ')}]`;
  const details = { type: 'business_message', ...(names.length > 0 && { options: names }) } as const;
  return { ...text(shown, details), ...(media && { media }) };
}

const headerOf = ({
  imageMessage,
  videoMessage,
  documentMessage,
}: Pick<
  proto.Message.InteractiveMessage.IHeader,
  'imageMessage' | 'videoMessage' | 'documentMessage'
>): proto.IMessage => ({
  ...(imageMessage && { imageMessage }),
  ...(videoMessage && { videoMessage }),
  ...(documentMessage && { documentMessage }),
});

export const readButtons = (message: proto.Message.IButtonsMessage): ReadContent =>
  businessMessage(
    'buttonsMessage',
    lines(message.text, message.contentText, message.footerText),
    (message.buttons ?? []).map(({ buttonText }) => buttonText?.displayText),
    headerOf(message),
  );

export const readList = ({
  title,
  description,
  footerText,
  sections,
}: proto.Message.IListMessage): ReadContent =>
  businessMessage(
    'listMessage',
    lines(title, description, footerText),
    (sections ?? []).flatMap(({ rows }) => (rows ?? []).map((row) => row.title)),
  );

export function readTemplate(message: proto.Message.ITemplateMessage): ReadContent {
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate } = message;
  if (interactiveMessageTemplate) return readInteractive(interactiveMessageTemplate);
  const template = hydratedTemplate ?? hydratedFourRowTemplate ?? {};
  const { hydratedTitleText, hydratedContentText, hydratedFooterText, hydratedButtons } = template;
  return businessMessage(
    'templateMessage',
    lines(hydratedTitleText, hydratedContentText, hydratedFooterText),
    (hydratedButtons ?? []).map(
      ({ quickReplyButton, urlButton, callButton }) =>
        quickReplyButton?.displayText ?? urlButton?.displayText ?? callButton?.displayText,
    ),
    headerOf(template),
  );
}

export const readStructured = ({
  hydratedHsm,
  params,
}: proto.Message.IHighlyStructuredMessage): ReadContent =>
  hydratedHsm
    ? readTemplate(hydratedHsm)
    : businessMessage('highlyStructuredMessage', (params ?? []).join('\n'), []);

export function readInteractive(message: proto.Message.IInteractiveMessage): ReadContent {
  const { header, body, footer, nativeFlowMessage, carouselMessage } = message;
  const cards = carouselMessage?.cards ?? [];
  const buttons = [...(nativeFlowMessage?.buttons ?? [])];
  for (const card of cards) buttons.push(...(card.nativeFlowMessage?.buttons ?? []));
  return businessMessage(
    'interactiveMessage',
    lines(
      header?.title,
      header?.subtitle,
      body?.text,
      ...cards.flatMap((card) => [card.header?.title, card.body?.text]),
      footer?.text,
    ),
    buttons.map(({ name, buttonParamsJson }) => {
      const { display_text: shown, title } = parseObject(buttonParamsJson);
      return typeof shown === 'string' ? shown : typeof title === 'string' ? title : name;
    }),
    headerOf(header ?? {}),
  );
}

/** Members that only the business's own system understands. */
const hiddenFields: ReadonlySet<string> = new Set(['id', 'flow_token', 'wa_flow_response_params']);

/** The choice of a button or list row, or the fields of a form (flow). */
export function readFlowReply({
  body,
  nativeFlowResponseMessage: flow,
}: proto.Message.IInteractiveResponseMessage): ReadContent {
  const params = parseObject(flow?.paramsJson);
  const { id } = params;
  const answers = Object.entries(params).flatMap(([name, value]) =>
    hiddenFields.has(name)
      ? []
      : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
  const choice = typeof id === 'string' && id !== '' ? id : undefined;
  if (choice === undefined && answers.length > 0) {
    const fields = answers.map(({ name, value }) => `${name}: ${value}`);
    return text(lines(body?.text, ...fields), { type: 'flow_reply', answers });
  }
  const { title } = params;
  const words = body?.text || (typeof title === 'string' && title) || choice || '[reply]';
  const type =
    flow?.name === 'single_select' || flow?.name === 'menu_options' ? 'list_reply' : 'button_reply';
  return text(words, { type: choice === undefined ? 'flow_reply' : type, ...(choice && { choice }) });
}

/** Returns an empty object for invalid JSON. */
function parseObject(json: string | null | undefined): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(json || '{}');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch {
    return {};
  }
}
