import { readCredentials } from '../credentials.ts';
import {
  type DownReason,
  type OutboundMessage,
  SendOutcomeUnknown,
  SendPostponed,
  type SessionOptions,
} from '../messaging-network.ts';
import type { OpenedSession } from '../pushed-session.ts';
import { readAccount } from './account.ts';
import { createGraphClient, GraphRefusal, GraphUnreachable } from './graph-client.ts';
import { type CloudNumber, toBodies } from './outbound.ts';
import { isLocked, refusesCredentials, toSendError } from './refusals.ts';
import { type AccountPause, createSendLimits } from './send-limits.ts';
import { type CloudOptions, createEventHandler } from './session-events.ts';
import { listTemplates } from './templates.ts';
import type { CloudEvent } from './webhook-shapes.ts';

/** The device has no credentials, or the token sees no such number or business account. */
class CredentialsRefused extends Error {
  override readonly name = 'CredentialsRefused';
}

/** The network does not check the credentials now. */
class CheckRefused extends Error {
  override readonly name = 'CheckRefused';
}

/** Why the session goes down after an error, null if it stays up. */
export function findDownReason(error: unknown): DownReason | null {
  if (error instanceof CredentialsRefused) return 'credentials_invalid';
  if (error instanceof CheckRefused) return 'unavailable';
  if (!(error instanceof GraphRefusal)) return null;
  if (refusesCredentials(error)) return 'credentials_invalid';
  return isLocked(error) ? 'suspended' : null;
}

/** Checks the credentials. Throws `CredentialsRefused`, `GraphRefusal` or `GraphUnreachable`. */
export async function openNumber(
  session: SessionOptions,
  { pauseOf, ...cloud }: CloudOptions & { pauseOf: (businessAccount: string) => AccountPause },
  signal: AbortSignal,
): Promise<OpenedSession> {
  const credentials = await readCredentials(session.store, 'whatsapp_cloud');
  if (credentials === null) throw new CredentialsRefused('the device has no credentials');
  const {
    access_token: token = '',
    phone_number_id: phoneNumberId = '',
    waba_id: waba = '',
  } = credentials.fields;
  const graph = createGraphClient(cloud.baseUrl, token);
  const number: CloudNumber = { graph, phoneNumberId, contacts: session.contacts };
  const account = await readAccount(number, signal).catch(refuseMissing(`no phone number ${phoneNumberId}`));
  // Without it, the network pushes nothing. It shows that the token belongs to the business account, too.
  await graph
    .call('POST', `${waba}/subscribed_apps`, { signal })
    .catch(refuseMissing(`no business account ${waba}`));
  const handle = createEventHandler(session, cloud, { ...number, waba }, signal);
  await session.events.templates(
    await listTemplates(graph, waba, signal).catch(refuseMissing('no templates')),
  );
  await session.events.account(account.state);
  const limits = createSendLimits({ perSecond: account.perSecond, account: pauseOf(waba) });
  return {
    phoneNumber: account.phoneNumber,
    // The webhook of this network stored it.
    handle: ({ payload }) => handle(payload as CloudEvent),
    async send(message, ended) {
      limits.take(message.to);
      const warn = (error: unknown) =>
        cloud.logger.warn({ err: error, deviceId: session.deviceId }, 'a long caption was not sent');
      return send(number, message, ended, warn).catch((error: unknown) => {
        limits.learn(error);
        throw error;
      });
    },
  };
}

const refuseMissing =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof GraphRefusal) || findDownReason(error) !== null) throw error;
    if (error.status === 404 || error.code === 100)
      throw new CredentialsRefused(`the access token sees ${what}`, { cause: error });
    throw new CheckRefused('the network does not check the credentials', { cause: error });
  };

/** Only the first call decides: the contact has the medium when its long caption fails. */
async function send(
  number: CloudNumber,
  message: OutboundMessage,
  signal: AbortSignal,
  onCaptionFailed: (error: unknown) => void,
): Promise<string> {
  const bodies = await toBodies(number, message, signal).catch((error: unknown) => {
    // Nothing was sent yet, whatever became of the file.
    throw toSendError(error) instanceof SendOutcomeUnknown ? new SendPostponed(5) : error;
  });
  const [first = {}, ...others] = bodies;
  // Statuses name it. Without it, they decide nothing about the message.
  const id = await post(number, { ...first, biz_opaque_callback_data: message.networkId }, signal);
  for (const body of others) await post(number, body, signal).catch(onCaptionFailed);
  return id;
}

async function post(
  { graph, phoneNumberId }: CloudNumber,
  body: object,
  signal: AbortSignal,
): Promise<string> {
  const sent = await graph.call('POST', `${phoneNumberId}/messages`, { body: { ...body }, signal });
  const [message] = (sent['messages'] ?? []) as { id?: string }[];
  if (typeof message?.id === 'string') return message.id;
  throw new GraphUnreachable(true, new Error('the response has no id of the message'));
}
