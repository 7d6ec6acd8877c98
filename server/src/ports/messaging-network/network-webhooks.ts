import type { NetworkWebhook } from './network-webhook.ts';
import type { MessagingNetworkName } from './supported-content.ts';
import { telegramWebhook } from './telegram/webhook.ts';
import { whatsappCloudWebhook } from './whatsapp-cloud/webhook.ts';

/** The networks that push events to an address of the deployment. */
export const networkWebhooks: Readonly<Partial<Record<MessagingNetworkName, NetworkWebhook>>> = {
  whatsapp_cloud: whatsappCloudWebhook,
  telegram: telegramWebhook,
};
