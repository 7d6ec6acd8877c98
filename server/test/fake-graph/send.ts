import {
  type Account,
  type FakeState,
  newWamid,
  type SentMessage,
  type Template,
  userIdFor,
} from './state.ts';
import type { Webhooks } from './webhooks.ts';

export class GraphError extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfter: number | undefined;
  /** What the network says to people about some errors. */
  readonly userMessage: string | undefined;
  constructor(status: number, code: number, message: string, retryAfter?: number, userMessage?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.userMessage = userMessage;
  }
}

type Body = Record<string, unknown>;

interface SendResult {
  response: Body | null;
  /** Runs once the response was sent. */
  report(): void;
}

const templateWithoutCharge = 'service';

/** `POST /{phone_number_id}/messages`. */
export function sendMessage(state: FakeState, webhooks: Webhooks, account: Account, body: Body): SendResult {
  const fault = state.faults.shift();
  if (fault?.kind === 'error')
    throw new GraphError(fault.status, fault.code, fault.message ?? 'a fault of the test', fault.retry_after);
  const { to, type, template } = readMessage(state, account, body);
  if (!state.take(`number/${account.phone_number_id}`, 80, 80))
    throw new GraphError(429, 130429, 'Rate limit hit');
  if (!state.take(`pair/${account.phone_number_id}/${to}`, 45, 1 / 6))
    throw new GraphError(400, 131056, '(Business Account, Consumer Account) pair rate limit hit');
  const message: SentMessage = { id: newWamid(), phone_number_id: account.phone_number_id, to, type, body };
  state.sent.push(message);
  const isOpen = state.isWindowOpen(account.phone_number_id, to);
  const late = fault?.kind === 'fail_later' ? fault.code : isOpen || template !== null ? null : 131047;
  const statuses = late === null ? ['sent', 'delivered'] : ['failed'];
  const category = template === null ? templateWithoutCharge : template.category.toLowerCase();
  const reportStatus = (status: string) =>
    webhooks.push(
      account,
      'messages',
      statusValue(state, account, { message, status, category, code: late }),
    );
  if (fault?.kind === 'status_first') reportStatus(statuses[0] ?? 'sent');
  return {
    response: fault?.kind === 'lose_response' ? null : responseTo(body, to, message),
    report() {
      for (const status of fault?.kind === 'status_first' ? statuses.slice(1) : statuses)
        reportStatus(status);
    },
  };
}

function responseTo(body: Body, to: string, { id }: SentMessage): Body {
  const contact =
    typeof body['to'] === 'string'
      ? { input: body['to'], wa_id: to, user_id: userIdFor(to) }
      : { user_id: to };
  return { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] };
}

const knownTypes = ['text', 'image', 'audio', 'document', 'interactive', 'template'];

function readMessage(
  state: FakeState,
  account: Account,
  body: Body,
): { to: string; type: string; template: Template | null } {
  const { messaging_product: product, to, recipient, type = 'text' } = body;
  if (product !== 'whatsapp') throw invalid('messaging_product must be whatsapp');
  if (typeof type !== 'string' || !knownTypes.includes(type)) throw invalid(`unknown type ${String(type)}`);
  const content = body[type];
  if (typeof content !== 'object' || content === null) throw invalid(`${type} must be an object`);
  // The content of a message of this type.
  const members = content as Body;
  if (type === 'text' && !isText(members['body'], 4096))
    throw invalid('text.body must have 1 to 4096 characters');
  if (['image', 'audio', 'document'].includes(type)) {
    if (state.media.get(String(members['id']))?.owner !== account.phone_number_id)
      throw invalid(`${type}.id is no medium of the number`);
    if (members['caption'] !== undefined && !isText(members['caption'], 1024))
      throw invalid('caption must have 1 to 1024 characters');
  }
  if (type === 'interactive') checkInteractive(members);
  const address = typeof to === 'string' ? to : recipient;
  if (typeof address !== 'string') throw invalid('to or recipient is required');
  if (typeof to === 'string' && !/^\+?[0-9]{7,15}$/.test(to)) throw invalid('to must be a phone number');
  if (typeof to !== 'string' && !/^[A-Z]{2}\.[A-Za-z0-9.]+$/.test(address))
    throw invalid('recipient must be a user id');
  if (address.startsWith('999')) throw new GraphError(400, 131026, 'Message undeliverable');
  return {
    to: address.replace(/^\+/, ''),
    type,
    template: type === 'template' ? findTemplate(state, account, members) : null,
  };
}

const invalid = (message: string) => new GraphError(400, 100, `Invalid parameter: ${message}`);

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length > 0 && [...value].length <= max;

function checkInteractive({ type, body, action }: Body): void {
  // What the network's reference says about interactive messages.
  const { buttons, sections, button } = (action ?? {}) as {
    buttons?: { reply?: { id?: string; title?: string } }[];
    button?: string;
    sections?: { title?: string; rows?: { id?: string; title?: string; description?: string }[] }[];
  };
  if (!isText((body as { text?: unknown } | undefined)?.text, 1024)) throw invalid('body.text');
  if (type === 'button') {
    const titles = (buttons ?? []).map(({ reply }) => reply?.title);
    if (titles.length < 1 || titles.length > 3) throw invalid('1 to 3 buttons are allowed');
    if (!titles.every((title) => isText(title, 20)) || new Set(titles).size < titles.length)
      throw invalid('button titles');
    return;
  }
  if (type !== 'list') throw invalid('unknown interactive type');
  const rows = (sections ?? []).flatMap((section) => section.rows ?? []);
  if (!isText(button, 20) || rows.length < 1 || rows.length > 10) throw invalid('a list has 1 to 10 rows');
  if (!rows.every(({ id, title }) => isText(id, 200) && isText(title, 24))) throw invalid('rows');
}

function findTemplate(
  state: FakeState,
  account: Account,
  { name, language, components = [] }: Body,
): Template {
  const { code } = (language ?? {}) as { code?: string };
  const found = state.templates
    .get(account.waba_id)
    ?.find((template) => template.name === name && template.language === code);
  if (found === undefined)
    throw new GraphError(404, 132001, 'Template name does not exist in the translation');
  if (found.status === 'PAUSED') throw new GraphError(400, 132015, 'Template is paused');
  if (found.status !== 'APPROVED') throw new GraphError(404, 132001, 'Template is not approved');
  for (const component of found.components) {
    const wanted = new Set((component.text ?? '').match(/{{\d+}}/g) ?? []).size;
    const given = (components as { type: string; parameters?: { text?: string }[] }[]).find(
      ({ type }) => type.toUpperCase() === component.type,
    );
    const texts = (given?.parameters ?? []).map(({ text }) => text);
    if (texts.length !== wanted) throw new GraphError(400, 132000, 'Number of parameters does not match');
    if (texts.some((text) => !isText(text, 1024) || /[\n\t]| {5}/.test(text ?? '')))
      throw new GraphError(400, 132018, 'A parameter has a line break, a tab or many spaces');
  }
  return found;
}

function statusValue(
  state: FakeState,
  account: Account,
  {
    message,
    status,
    category,
    code,
  }: { message: SentMessage; status: string; category: string; code: number | null },
): object {
  const { to, body } = message;
  const isNumber = /^\d+$/.test(to);
  const userId = isNumber ? userIdFor(to) : to;
  const callback = body['biz_opaque_callback_data'];
  return {
    messaging_product: 'whatsapp',
    metadata: metadataOf(account),
    ...(status === 'failed' ? {} : { contacts: [{ ...(isNumber && { wa_id: to }), user_id: userId }] }),
    statuses: [
      {
        id: message.id,
        status,
        timestamp: state.seconds(),
        ...(isNumber && { recipient_id: to }),
        recipient_user_id: userId,
        ...(typeof callback === 'string' && { biz_opaque_callback_data: callback }),
        ...(status === 'failed'
          ? { errors: [{ code, title: 'Message was not delivered', message: 'Message was not delivered' }] }
          : {
              pricing: { billable: category !== 'service', pricing_model: 'PMP', type: 'regular', category },
            }),
      },
    ],
  };
}

export const metadataOf = ({ display_phone_number, phone_number_id }: Account) => ({
  display_phone_number,
  phone_number_id,
});
