import type { Logger } from '../../platform/shared/logger.ts';
import type {
  InboundMessage,
  MessageContent,
  MessagingNetwork,
  ReceivedEvent,
  SessionOptions,
} from './messaging-network.ts';
import { PushedNetwork } from './pushed-session.ts';

/** What the chat of a website pushes. The file of a message is in the bytes of the event. */
export type WebEvent =
  | {
      type: 'message';
      id: string;
      contact: string;
      sentAt: string;
      text: string;
      file: { kind: 'image' | 'document'; mimeType: string; name: string } | null;
    }
  | { type: 'receipt'; id: string; state: 'delivered' | 'read' };

/**
 * The chat on a website. Visitors read their messages from the database, so a message is delivered once its row says that it is
 * sent. Their own messages arrive as events of the inbox.
 */
export const createWebNetwork = (logger: Pick<Logger, 'error'>): MessagingNetwork =>
  new PushedNetwork({
    name: 'web',
    logger,
    open: async (session) => ({ handle: (event) => handle(session, event), send: async () => undefined }),
  });

function handle({ events }: SessionOptions, { payload, bytes }: ReceivedEvent): Promise<void> {
  // The chat of a website wrote it.
  const event = payload as WebEvent;
  return event.type === 'receipt'
    ? events.receipt({ networkId: event.id, state: event.state })
    : events.inbound(toInbound(event, bytes));
}

function toInbound(event: Extract<WebEvent, { type: 'message' }>, bytes: Uint8Array | null): InboundMessage {
  return {
    networkId: event.id,
    contactNumber: event.contact,
    fromMe: false,
    sentAt: new Date(event.sentAt),
    content: toContent(event, bytes ?? new Uint8Array()),
  };
}

function toContent(
  { text, file }: Extract<WebEvent, { type: 'message' }>,
  bytes: Uint8Array,
): MessageContent {
  if (file === null) return { kind: 'text', text };
  const { kind, mimeType, name: fileName } = file;
  return kind === 'image'
    ? { kind, mimeType, bytes, caption: text }
    : { kind, mimeType, bytes, fileName, caption: text };
}
