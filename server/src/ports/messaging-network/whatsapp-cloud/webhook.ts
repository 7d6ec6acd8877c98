import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { NetworkWebhook, PushedItem } from '../network-webhook.ts';
import { contactKey } from './contact-key.ts';
import type { CloudEvent, CloudMessage, CloudProfile, CloudStatus, CloudValue } from './webhook-shapes.ts';

/** The webhook of the Graph API: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks. */
export const whatsappCloudWebhook: NetworkWebhook = {
  challenge(query, { verifyToken }) {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
    const isRight = mode === 'subscribe' && typeof token === 'string' && isEqual(token, verifyToken);
    return isRight && typeof challenge === 'string' ? challenge : null;
  },

  isAuthentic({ headers, body }, { fields: { app_secret: secret = '' } }) {
    const given = headers['x-hub-signature-256'];
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return typeof given === 'string' && isEqual(given, expected);
  },

  split: (body, { fields: { phone_number_id: phone, waba_id: waba } }) =>
    listChanges(body).flatMap(({ account, field, value }) => {
      const { metadata } = value;
      if (metadata !== undefined) return metadata.phone_number_id === phone ? splitValue(field, value) : [];
      return account === waba ? [accountEvent(field, value)] : [];
    }),
};

const isEqual = (given: string, expected: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(given).digest(),
    createHash('sha256').update(expected).digest(),
  );

interface Change {
  /** The id of the business account. */
  account: unknown;
  field: string;
  value: CloudValue;
}

function listChanges(body: unknown): Change[] {
  return listOf(membersOf(body)['entry']).flatMap((entry) =>
    listOf(membersOf(entry)['changes']).flatMap((change) => {
      const { field, value } = membersOf(change);
      const account = membersOf(entry)['id'];
      // The network signed it. Only members that the code asks for are read.
      return typeof field === 'string' ? [{ account, field, value: membersOf(value) as CloudValue }] : [];
    }),
  );
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function listOf<Item>(value: readonly Item[] | undefined): Item[];
function listOf(value: unknown): unknown[];
function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function splitValue(field: string, value: CloudValue): PushedItem[] {
  if (field === 'messages')
    return [
      ...listOf(value.messages)
        .filter(hasId)
        .map((message) => toMessageItem(message, listOf(value.contacts))),
      ...listOf(value.statuses).filter(hasId).map(toStatusItem),
    ];
  if (field === 'smb_message_echoes') return listOf(value.message_echoes).filter(hasId).map(toEchoItem);
  return [accountEvent(field, value)];
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

const hasId = ({ id }: CloudMessage | CloudStatus): boolean => typeof id === 'string' && id !== '';

/** Has no id of its own. The same event may come again later with the same content, and a repeated one does no harm. */
function accountEvent(field: string, value: CloudValue): PushedItem {
  const event: CloudEvent = { type: 'account', field, value };
  return { key: `${field}/${randomUUID()}`, contact: null, payload: event };
}
