import { createHmac, randomUUID } from 'node:crypto';
import { isSameSecret } from '../../../platform/shared/is-same-secret.ts';
import type { NetworkWebhook, PushedItem } from '../network-webhook.ts';
import { readShape } from '../read-shape.ts';
import { contactKey } from './contact-key.ts';
import {
  type CloudEvent,
  type CloudMessage,
  type CloudProfile,
  type CloudStatus,
  type CloudValue,
  Webhook,
} from './webhook-shapes.ts';

/** The webhook of the Graph API: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks. */
export const whatsappCloudWebhook: NetworkWebhook = {
  challenge(query, { verifyToken }) {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
    const isRight = mode === 'subscribe' && typeof token === 'string' && isSameSecret(token, verifyToken);
    return isRight && typeof challenge === 'string' ? challenge : null;
  },

  isAuthentic({ headers, body }, { fields: { app_secret: secret = '' } }) {
    const given = headers['x-hub-signature-256'];
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return typeof given === 'string' && isSameSecret(given, expected);
  },

  split: (body, { fields: { phone_number_id: phone, waba_id: waba } }) =>
    (readShape(Webhook, body)?.entry ?? []).flatMap(({ id: account, changes = [] }) =>
      changes.flatMap(({ field, value }) => {
        if (value.metadata !== undefined)
          return value.metadata.phone_number_id === phone ? splitValue(field, value) : [];
        return account === waba ? [accountEvent(field)] : [];
      }),
    ),
};

function splitValue(
  field: string,
  { messages = [], contacts = [], statuses = [], message_echoes: echoes = [] }: CloudValue,
): PushedItem[] {
  if (field === 'messages')
    return [...messages.map((message) => toMessageItem(message, contacts)), ...statuses.map(toStatusItem)];
  return field === 'smb_message_echoes' ? echoes.map(toEchoItem) : [accountEvent(field)];
}

function toMessageItem(message: CloudMessage, contacts: readonly CloudProfile[]): PushedItem {
  const profile =
    contacts.find(({ wa_id: number, user_id: user }) =>
      message.from_user_id === undefined ? number === message.from : user === message.from_user_id,
    ) ?? (contacts.length === 1 ? contacts[0] : undefined);
  const event: CloudEvent = { type: 'message', message, profile: profile ?? {} };
  return { key: message.id, contact: contactKey({ ...profile, ...message }), payload: event };
}

function toStatusItem(status: CloudStatus): PushedItem {
  const event: CloudEvent = { type: 'status', status };
  return { key: `${status.id}/${status.status}`, contact: contactKey(status), payload: event };
}

function toEchoItem(message: CloudMessage): PushedItem {
  const event: CloudEvent = { type: 'echo', message };
  const contact = contactKey({ wa_id: message.to, user_id: message.to_user_id });
  return { key: message.id, contact, payload: event };
}

/** Has no id of its own. The same event may come again later with the same content, and a repeated one does no harm. */
function accountEvent(field: string): PushedItem {
  const event: CloudEvent = { type: 'account', field };
  return { key: `${field}/${randomUUID()}`, contact: null, payload: event };
}
