import { chatNotation, type Notation } from '../../platform/notation/notation.ts';
import type { MessageContent } from './messaging-network.ts';

export type MessagingNetworkName = 'simulator' | 'whatsapp';

/** The content that each adapter sends, for processes that do not load the adapter. */
export const supportedContent: Readonly<Record<MessagingNetworkName, ReadonlySet<MessageContent['kind']>>> = {
  simulator: new Set(['text', 'image', 'voice', 'document']),
  whatsapp: new Set(['text', 'image', 'voice', 'document']),
};

/** How the network of each adapter marks up text. */
export const networkNotations: Readonly<Record<MessagingNetworkName, Notation>> = {
  simulator: chatNotation,
  whatsapp: chatNotation,
};

/** Networks on which the owner of a phone can enter a code instead of scanning a QR code. */
export const networksWithPairingCodes: ReadonlySet<MessagingNetworkName> = new Set(['whatsapp']);
