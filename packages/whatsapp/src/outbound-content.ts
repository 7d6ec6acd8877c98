import type { MessageContent } from '@parley/server/messaging-network';
import { type AnyMessageContent, generateWAMessageContent, type proto, type WASocket } from 'baileys';

/** Uploads media. Sends no link previews, because the library would fetch the addresses in the text. */
export const toProtobuf = (
  content: MessageContent,
  { waUploadToServer }: Pick<WASocket, 'waUploadToServer'>,
): Promise<proto.IMessage> =>
  content.kind === 'text'
    ? Promise.resolve({ extendedTextMessage: { text: content.text } })
    : generateWAMessageContent(toLibraryContent(content), { upload: waUploadToServer });

/** The bytes are a buffer, because the library would open other values as local files. */
function toLibraryContent(content: Exclude<MessageContent, { kind: 'text' }>): AnyMessageContent {
  const bytes = Buffer.from(content.bytes);
  switch (content.kind) {
    case 'image':
      // An empty thumbnail prevents the library from computing one with a package that is not installed.
      return { image: bytes, mimetype: content.mimeType, caption: content.caption, jpegThumbnail: '' };
    case 'voice': {
      const { mimeType: mimetype, seconds, waveform } = content;
      // The library reads the waveform, although its type has none.
      const voiceNote = { audio: bytes, ptt: true, mimetype, seconds, waveform };
      return voiceNote;
    }
    case 'document': {
      const { mimeType: mimetype, fileName, caption } = content;
      return { document: bytes, mimetype, fileName, ...(caption && { caption }) };
    }
  }
}
