import { chatNotation, type Notation } from '../../platform/notation/notation.ts';
import type { MessageContent } from './messaging-network.ts';

export const messagingNetworks = ['simulator', 'whatsapp', 'whatsapp_cloud', 'telegram', 'web'] as const;

export type MessagingNetworkName = (typeof messagingNetworks)[number];

export interface NetworkCapabilities {
  /** What its adapter sends. */
  content: readonly MessageContent['kind'][];
  /** Whether a device may write to a contact who has not written lately: with any text, with a template, or never. */
  initiates: 'free' | 'template' | 'never';
  /** Whether a phone number identifies the account. */
  phone_numbers: boolean;
  /** Whether the owner of a phone can enter a code instead of scanning a QR code. */
  pairing_codes: boolean;
  /** Whether the device connects with `PUT /devices/{id}/credentials` instead of a code. */
  credentials: boolean;
}

const everyContent = ['text', 'image', 'voice', 'document'] as const;

const phone: NetworkCapabilities = {
  content: everyContent,
  initiates: 'free',
  phone_numbers: true,
  pairing_codes: true,
  credentials: false,
};

/** What each network can do, for processes that do not load its adapter. */
export const networkCapabilities: Readonly<Record<MessagingNetworkName, NetworkCapabilities>> = {
  simulator: { ...phone, pairing_codes: false },
  whatsapp: phone,
  whatsapp_cloud: { ...phone, initiates: 'template', pairing_codes: false, credentials: true },
  telegram: {
    ...phone,
    initiates: 'never',
    phone_numbers: false,
    pairing_codes: false,
    credentials: true,
  },
  web: { ...phone, initiates: 'never', phone_numbers: false, pairing_codes: false },
};

/** `network` is that of a device. */
export const takesCredentials = (network: string | null): boolean =>
  messagingNetworks.some((name) => name === network && networkCapabilities[name].credentials);

/** Networks that take only templates from a device once the contact has not written for 24 hours. */
export const networksWithWindow: readonly MessagingNetworkName[] = messagingNetworks.filter(
  (name) => networkCapabilities[name].initiates === 'template',
);

/** Networks that show options as buttons or as a list. */
export const networksWithButtons: readonly MessagingNetworkName[] = ['whatsapp_cloud', 'telegram'];

/**
 * Networks that would store a repeated send twice. An attempt with an unknown outcome is never repeated: what the network reports
 * about the message decides.
 */
export const networksThatSendOnce: readonly MessagingNetworkName[] = ['whatsapp_cloud', 'telegram'];

/** The content that each adapter sends, as its `supportedContent`. */
export const supportedContent: Readonly<
  Record<'simulator' | 'whatsapp', ReadonlySet<MessageContent['kind']>>
> = {
  simulator: new Set(networkCapabilities.simulator.content),
  whatsapp: new Set(networkCapabilities.whatsapp.content),
};

/** How all networks mark up text. */
export const networkNotation: Notation = chatNotation;
