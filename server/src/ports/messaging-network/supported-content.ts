import { chatNotation, type Notation } from '../../platform/notation/notation.ts';
import type { MessageContent } from './messaging-network.ts';

export const messagingNetworks = ['simulator', 'whatsapp', 'web'] as const;

export type MessagingNetworkName = (typeof messagingNetworks)[number];

export interface NetworkCapabilities {
  /** What its adapter sends. */
  content: readonly MessageContent['kind'][];
  /** Whether a device may write to a contact who never wrote to it. */
  initiates: 'free' | 'never';
  /** Whether a phone number identifies the account. */
  phone_numbers: boolean;
  /** Whether the owner of a phone can enter a code instead of scanning a QR code. */
  pairing_codes: boolean;
}

const everyContent = ['text', 'image', 'voice', 'document'] as const;

/** What each network can do, for processes that do not load its adapter. */
export const networkCapabilities: Readonly<Record<MessagingNetworkName, NetworkCapabilities>> = {
  simulator: { content: everyContent, initiates: 'free', phone_numbers: true, pairing_codes: false },
  whatsapp: { content: everyContent, initiates: 'free', phone_numbers: true, pairing_codes: true },
  web: { content: everyContent, initiates: 'never', phone_numbers: false, pairing_codes: false },
};

/** The content that each adapter sends, as its `supportedContent`. */
export const supportedContent: Readonly<
  Record<'simulator' | 'whatsapp', ReadonlySet<MessageContent['kind']>>
> = {
  simulator: new Set(networkCapabilities.simulator.content),
  whatsapp: new Set(networkCapabilities.whatsapp.content),
};

/** How all networks mark up text. */
export const networkNotation: Notation = chatNotation;
