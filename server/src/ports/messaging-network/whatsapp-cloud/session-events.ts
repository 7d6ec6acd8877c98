import type { Logger } from '../../../platform/shared/logger.ts';
import {
  type InboundMessage,
  type MessageContent,
  SendRefused,
  type SessionOptions,
} from '../messaging-network.ts';
import { readAccount } from './account.ts';
import { numberOf, userIdOf } from './contact-key.ts';
import { GraphRefusal } from './graph-client.ts';
import { type ReadContent, readContent } from './inbound-content.ts';
import type { CloudNumber } from './outbound.ts';
import { refusalReason, toSendError } from './refusals.ts';
import { listTemplates } from './templates.ts';
import type { CloudEvent, CloudMessage, CloudProfile, CloudStatus } from './webhook-shapes.ts';

export interface CloudOptions {
  /** Ends with the version of the API. */
  baseUrl: string;
  maxMediaBytes: number;
  logger: Pick<Logger, 'error' | 'warn'>;
}

/** The name is a key of the month's counters. */
const toCategory = (name: string): string => (/^[a-z_]{1,40}$/i.test(name) ? name.toLowerCase() : 'unknown');

export type HandleEvent = (event: CloudEvent) => Promise<void>;

/** Handles what the webhook stored, for one session. */
export function createEventHandler(
  { events, contacts }: Pick<SessionOptions, 'events' | 'contacts'>,
  cloud: Pick<CloudOptions, 'maxMediaBytes' | 'logger'>,
  number: CloudNumber & { waba: string },
  signal: AbortSignal,
): HandleEvent {
  const identify = (phone: string | null, addresses: readonly (string | null)[]) =>
    contacts.identify({ number: phone, addresses: addresses.filter((address) => address !== null) });

  const receiveMessage = async (message: CloudMessage, profile: CloudProfile) => {
    const identity = { ...profile, ...message };
    const [phone, userId] = [numberOf(identity), userIdOf(identity)];
    if (message.type === 'system') return recordNewId(message, phone, userId);
    if (phone === null && userId === null) return;
    const read = readContent(message);
    if (read === null) return;
    const contactNumber = await identify(phone, [userId]);
    const name = profile.profile?.name || profile.profile?.username;
    await events.inbound({
      ...(await toInbound(message, read)),
      contactNumber,
      ...(name && { contactName: name }),
      fromMe: false,
    });
  };

  /** A contact has another number or another id. The conversation continues. */
  const recordNewId = async ({ system = {} }: CloudMessage, phone: string | null, userId: string | null) => {
    const { user_id, previous_user_id, wa_id } = system;
    const before = userIdOf({ user_id: previous_user_id }) ?? userId;
    const after = userIdOf({ user_id });
    const addresses = [before, after, phone].filter((address) => address !== null);
    if (addresses.length < 2 && numberOf({ wa_id }) === null) return;
    await identify(system.type === 'user_changed_number' ? null : phone, addresses);
    const newPhone = numberOf({ wa_id });
    if (newPhone !== null && newPhone !== phone) await identify(null, [...addresses, newPhone]);
  };

  const receiveEcho = async (message: CloudMessage) => {
    const identity = { wa_id: message.to, user_id: message.to_user_id };
    const [phone, userId] = [numberOf(identity), userIdOf(identity)];
    const read = readContent(message);
    if (read === null || (phone === null && userId === null)) return;
    const contactNumber = await identify(phone, [userId]);
    await events.inbound({
      ...(await toInbound(message, read)),
      contactNumber,
      fromMe: true,
      mayBeAutomatic: true,
    });
  };

  const toInbound = async (message: CloudMessage, read: ReadContent) => ({
    networkId: message.id,
    sentAt: toDate(message.timestamp),
    ...(await withMedia(read, message)),
  });

  const withMedia = async (
    { content, details, media }: ReadContent,
    { timestamp }: CloudMessage,
  ): Promise<Pick<InboundMessage, 'content' | 'details'>> => {
    const described = { content, ...(details && { details }) };
    if (media?.id === undefined) return described;
    try {
      const bytes = await download(media.id);
      if (bytes === null) return { content, details: { ...details, missingMedia: 'too_large' } };
      return { ...described, content: toContent(media, bytes) };
    } catch (error) {
      // The network keeps a file for some days. Later messages of the device wait meanwhile.
      const isLate = Date.now() - toDate(timestamp).getTime() > maxMediaWaitMs;
      if (signal.aborted || !(isGone(error) || isLate)) throw error;
      cloud.logger.warn({ err: error }, 'a file of a message is not available');
      return { content, details: { ...details, missingMedia: 'unavailable' } };
    }
  };

  /** The address of a file is valid for five minutes. */
  const download = async (id: string): Promise<Buffer | null> => {
    const { graph } = number;
    const { maxMediaBytes: maxBytes } = cloud;
    for (let attempt = 1; ; attempt += 1) {
      const { url, file_size: size } = await graph.call('GET', id, { signal });
      if (Number(size ?? 0) > maxBytes) return null;
      try {
        return await graph.download(String(url), { maxBytes, signal });
      } catch (error) {
        if (!(error instanceof GraphRefusal) || attempt === 3) throw error;
      }
    }
  };

  const receiveStatus = async (status: CloudStatus) => {
    const { id, biz_opaque_callback_data: ours, recipient_user_id, pricing } = status;
    const [phone, userId] = [numberOf(status), userIdOf({ recipient_user_id })];
    if (phone !== null && userId !== null) await identify(phone, [userId]);
    const state = states[status.status ?? ''];
    if (state === undefined) return;
    const code = status.errors?.[0]?.code;
    await events.receipt({
      networkId: ours ?? id,
      externalId: id,
      state,
      ...(pricing?.category !== undefined && {
        pricing: { category: toCategory(pricing.category), billable: pricing.billable ?? true },
      }),
      ...(state === 'failed' && { failure: { reason: refusalReason(code ?? 0), code: code ?? null } }),
    });
  };

  /** Events may arrive in another order, so what they say is read from the network. */
  const receiveAccountEvent = async (field: string) => {
    if (accountFields.has(field)) await events.account((await readAccount(number, signal)).state);
    if (templateFields.has(field))
      await events.templates(await listTemplates(number.graph, number.waba, signal));
  };

  return async (event) => {
    switch (event.type) {
      case 'message':
        return receiveMessage(event.message, event.profile);
      case 'echo':
        return receiveEcho(event.message);
      case 'status':
        return receiveStatus(event.status);
      case 'account':
        return receiveAccountEvent(event.field);
    }
  };
}

const accountFields: ReadonlySet<string> = new Set([
  'account_update',
  'business_capability_update',
  'phone_number_quality_update',
]);

const templateFields: ReadonlySet<string> = new Set([
  'message_template_status_update',
  'message_template_components_update',
  'template_category_update',
]);

const maxMediaWaitMs = 600_000;

/** False while the network is too busy, or refuses the token. The address of a file gives errors without a number. */
const isGone = (error: unknown): boolean =>
  error instanceof GraphRefusal && (error.code === 0 || toSendError(error) instanceof SendRefused);

const states: Readonly<Record<string, 'sent' | 'delivered' | 'read' | 'failed'>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
};

/** `seconds` count from 1970. Returns the current time for an invalid value. */
function toDate(seconds: string | undefined): Date {
  const ms = Number(seconds ?? Number.NaN) * 1000;
  return ms > 0 && ms < 8.64e15 ? new Date(ms) : new Date();
}

function toContent(media: NonNullable<ReadContent['media']>, bytes: Buffer): MessageContent {
  const { type, mime_type: mimeType = 'application/octet-stream', caption = '', filename: fileName } = media;
  switch (type) {
    case 'image':
      return { kind: 'image', mimeType, bytes, caption };
    case 'voice note':
      return { kind: 'voice', mimeType, bytes, seconds: 0, waveform: new Uint8Array() };
    default:
      return { kind: 'document', mimeType, bytes, fileName: fileName ?? type, caption };
  }
}
