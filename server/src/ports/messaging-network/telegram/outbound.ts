import { readChatMarks } from '../../../platform/notation/chat-marks.ts';
import { splitText } from '../../../platform/shared/cut-text.ts';
import type { MessageContent, OutboundMessage } from '../messaging-network.ts';
import { fileNameOf } from '../network-call.ts';

/** A call that sends a message, or a part of it. */
export interface SendCall {
  method: 'sendMessage' | 'sendPhoto' | 'sendVoice' | 'sendDocument';
  parameters: object | FormData;
}

/** In UTF-16 code units, without the marks. */
const [maxText, maxCaption] = [4096, 1024];
const maxPhotoBytes = 10_000_000;
const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** `chat` names the chat, and the business account if it is one of its chats. */
export function toCalls(
  chat: Readonly<Record<string, string>>,
  { content, choices }: Pick<OutboundMessage, 'content' | 'choices'>,
): SendCall[] {
  if (content.kind === 'text') return toTextCalls(chat, content.text, choices);
  const caption = content.kind === 'voice' ? '' : content.caption;
  const isShort = caption.length <= maxCaption;
  const file = toFileCall(chat, content, isShort ? caption : '');
  return isShort ? [file] : [file, ...toTextCalls(chat, caption)];
}

/** The last part has the buttons. */
function toTextCalls(chat: object, text: string, choices?: OutboundMessage['choices']): SendCall[] {
  const parts = splitText(text, maxText);
  const keyboard = choices && { reply_markup: { inline_keyboard: choices.options.map(toRow) } };
  return parts.map((part, index) => ({
    method: 'sendMessage',
    parameters: { ...chat, ...toEntities(part), ...(index === parts.length - 1 && keyboard) },
  }));
}

/** One button in a row. Telegram takes 64 bytes for what a button sends back. */
function toRow({ id, title: text }: NonNullable<OutboundMessage['choices']>['options'][number]): object[] {
  const data = Buffer.from(id ?? text).subarray(0, 64);
  return [{ text, callback_data: String(data).replace(/\ufffd$/, '') }];
}

function toFileCall(
  chat: Readonly<Record<string, string>>,
  content: Exclude<MessageContent, { kind: 'text' }>,
  caption: string,
): SendCall {
  const { kind, mimeType, bytes } = content;
  const isPhoto = kind === 'image' && photoTypes.has(mimeType) && bytes.length <= maxPhotoBytes;
  const type = isPhoto ? 'photo' : kind === 'voice' ? 'voice' : 'document';
  const form = new FormData();
  for (const [name, value] of Object.entries(chat)) form.append(name, value);
  if (kind === 'voice') form.append('duration', String(Math.round(content.seconds)));
  if (caption !== '') {
    const { text, entities } = toEntities(caption);
    form.append('caption', text);
    form.append('caption_entities', JSON.stringify(entities));
  }
  form.append(type, new Blob([Uint8Array.from(bytes)], { type: mimeType }), fileNameOf(content));
  const methods = { photo: 'sendPhoto', voice: 'sendVoice', document: 'sendDocument' } as const;
  return { method: methods[type], parameters: form };
}

const entityTypes = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'code',
  codeBlock: 'pre',
} as const;

/** Telegram counts in UTF-16 code units, too. */
function toEntities(marked: string): { text: string; entities: object[] } {
  const { text, marks } = readChatMarks(marked);
  return { text, entities: marks.map(({ style, ...place }) => ({ type: entityTypes[style], ...place })) };
}
