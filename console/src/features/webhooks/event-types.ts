import type { CreateWebhookInput } from '@parley/sdk';

export type EventType = Exclude<CreateWebhookInput['events'][number], '*'>;

const known: Record<EventType, true> = {
  'message.received': true,
  'message.sent': true,
  'message.delivered': true,
  'message.read': true,
  'message.failed': true,
  'conversation.paused': true,
  'conversation.resumed': true,
  'conversation.human_requested': true,
  'conversation.unanswered': true,
  'device.connected': true,
  'device.disconnected': true,
  'device.qr': true,
  'device.restricted': true,
  'device.logged_out': true,
  'bot.published': true,
  'bot.publish_failed': true,
  'action.failed': true,
  'document.ready': true,
  'document.failed': true,
  'payment.captured': true,
  'team.created': true,
  'team.updated': true,
  'team.deleted': true,
  'quota.warning': true,
  'quota.reached': true,
  'credits.exhausted': true,
  'webhook.disabled': true,
};

// The record has exactly these keys.
export const eventTypes = Object.keys(known) as EventType[];
