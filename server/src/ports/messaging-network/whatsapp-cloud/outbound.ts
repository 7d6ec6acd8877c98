import type {
  ContactDirectory,
  MessageChoices,
  MessageContent,
  MessageTemplate,
  OutboundMessage,
} from '../messaging-network.ts';
import { fileNameOf } from '../network-call.ts';
import { type GraphClient, GraphRefusal } from './graph-client.ts';

type Body = Record<string, unknown>;
type MediaContent = Extract<MessageContent, { bytes: Uint8Array }>;

/** The API takes longer captions from no medium. */
const maxCaption = 1024;
/** The API takes other images only as documents. */
const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);

export interface CloudNumber {
  graph: GraphClient;
  phoneNumberId: string;
  contacts: Pick<ContactDirectory, 'findAddress'>;
}

/** Returns the bodies of the calls that send a message. Uploads its file first. */
export async function toBodies(
  number: CloudNumber,
  { to, content, template, choices }: OutboundMessage,
  signal: AbortSignal,
): Promise<Body[]> {
  const shared = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(await toRecipient(number, to)),
  };
  if (template !== undefined) return [{ ...shared, ...toTemplate(template) }];
  if (content.kind === 'text' && choices !== undefined)
    return toInteractive(content.text, choices).map((part) => ({ ...shared, ...part }));
  if (content.kind === 'text') return [{ ...shared, ...toText(content.text) }];
  const medium = { ...shared, ...toMedium(content, await upload(number, content, signal)) };
  const caption = content.kind === 'voice' ? '' : content.caption;
  return [...caption].length > maxCaption ? [medium, { ...shared, ...toText(caption) }] : [medium];
}

const toText = (body: string): Body => ({ type: 'text', text: { body, preview_url: false } });

/** The network takes no line break, no tab and no five spaces in a variable. */
const toTemplate = ({ name, language, parameters }: MessageTemplate): Body => ({
  type: 'template',
  template: {
    name,
    language: { code: language },
    ...(parameters.length > 0 && {
      components: [
        {
          type: 'body',
          parameters: parameters.map((text) => ({ type: 'text', text: text.trim().replace(/\s+/g, ' ') })),
        },
      ],
    }),
  },
});

const maxInteractiveText = 1024;
const maxButtons = 3;
const maxButtonTitle = 20;

/** Up to three short options are buttons. A longer text comes first, on its own. */
function toInteractive(text: string, { options, button = '…' }: MessageChoices): Body[] {
  const isLong = [...text].length > maxInteractiveText;
  const body = { text: isLong ? button : text };
  const rows = options.map(({ title, id = title, description }) => ({
    id,
    title,
    ...(description !== undefined && { description }),
  }));
  const areButtons =
    rows.length <= maxButtons &&
    options.every(
      ({ title, description }) => description === undefined && [...title].length <= maxButtonTitle,
    );
  const interactive = areButtons
    ? { type: 'button', body, action: { buttons: rows.map((reply) => ({ type: 'reply', reply })) } }
    : { type: 'list', body, action: { button, sections: [{ rows }] } };
  const choice = { type: 'interactive', interactive };
  return isLong ? [toText(text), choice] : [choice];
}

/** A contact without a number may have a new id by now. */
async function toRecipient({ contacts }: CloudNumber, to: string): Promise<Body> {
  if (to.startsWith('+')) return { to: to.slice(1) };
  const address = (await contacts.findAddress(to)) ?? to;
  return address.startsWith('bsuid:')
    ? { recipient: address.slice('bsuid:'.length) }
    : { to: address.replace(/^\+/, '') };
}

function toMedium(content: MediaContent, id: string): Body {
  if (content.kind === 'voice') return { type: 'audio', audio: { id, voice: true } };
  const caption =
    content.caption !== '' && [...content.caption].length <= maxCaption ? { caption: content.caption } : {};
  if (content.kind === 'image' && imageTypes.has(content.mimeType))
    return { type: 'image', image: { id, ...caption } };
  return { type: 'document', document: { id, filename: fileNameOf(content), ...caption } };
}

async function upload(
  { graph, phoneNumberId }: CloudNumber,
  content: MediaContent,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  form.append('messaging_product', 'whatsapp');
  form.append('type', content.mimeType);
  const bytes = Uint8Array.from(content.bytes);
  form.append('file', new Blob([bytes], { type: content.mimeType }), fileNameOf(content));
  const { id } = await graph.call('POST', `${phoneNumberId}/media`, { body: form, signal });
  if (typeof id !== 'string') throw new GraphRefusal(200, 0, 'the response to an upload has no id');
  return id;
}
