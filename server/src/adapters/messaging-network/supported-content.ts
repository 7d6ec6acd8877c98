import type { MessageContent } from './messaging-network.ts';

export type MessagingNetworkName = 'simulator' | 'whatsapp';

/** What each network's adapter sends, for processes that tell callers of it without having the adapter. */
export const supportedContent: Readonly<Record<MessagingNetworkName, ReadonlySet<MessageContent['kind']>>> = {
  simulator: new Set(['text', 'image', 'voice', 'document']),
  whatsapp: new Set(['text']),
};
