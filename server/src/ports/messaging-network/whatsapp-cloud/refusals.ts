import { type SendError, SendOutcomeUnknown, SendPostponed, SendRefused } from '../messaging-network.ts';
import { GraphRefusal, GraphUnreachable } from './graph-client.ts';

/** Error numbers: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes. */
const throttled: ReadonlySet<number> = new Set([4, 80007, 130429, 131048, 131056, 131057, 133016]);
const unauthorized: ReadonlySet<number> = new Set([3, 10, 190, 131005]);
const templateErrors: ReadonlySet<number> = new Set([
  132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018,
]);

const pairRate = 131056;
const accountLocked: ReadonlySet<number> = new Set([368, 131031]);

/** The access token is no longer valid, or has lost a right. */
export const refusesCredentials = ({ status, code }: GraphRefusal): boolean =>
  status === 401 || unauthorized.has(code) || (code >= 200 && code <= 299);

/** The network keeps the account from sending. */
export const isLocked = ({ code }: GraphRefusal): boolean => accountLocked.has(code);

/** Translates the failure of a call that sends a message. */
export function toSendError(error: unknown): SendError {
  if (error instanceof GraphRefusal) return refusalToSendError(error);
  if (error instanceof GraphUnreachable && !error.mayHaveArrived) return new SendPostponed(2);
  return new SendOutcomeUnknown(error);
}

function refusalToSendError(refusal: GraphRefusal): SendError {
  const { status, code, retryAfterSeconds: wait } = refusal;
  if (status === 429 || throttled.has(code)) return new SendPostponed(wait ?? (code === pairRate ? 6 : 10));
  // The session goes down. The message waits until the device has valid credentials.
  if (refusesCredentials(refusal) || isLocked(refusal)) return new SendPostponed(60);
  return new SendRefused(refusalReason(code), code);
}

/** Also of a message that the network took and could not deliver. */
export function refusalReason(code: number): SendRefused['reason'] {
  if (code === 131026 || code === 131021) return 'recipient_unknown';
  if (code === 131047) return 'window_closed';
  if (templateErrors.has(code)) return 'template_refused';
  return 'network_refused';
}
