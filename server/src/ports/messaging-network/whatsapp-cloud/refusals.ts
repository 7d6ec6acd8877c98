import { type SendError, SendOutcomeUnknown, SendPostponed, SendRefused } from '../messaging-network.ts';
import { GraphRefusal, GraphUnreachable } from './graph-client.ts';

/** Error numbers: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes. */
const throttledAccount: ReadonlySet<number> = new Set([4, 80007]);
const throttledNumber: ReadonlySet<number> = new Set([130429, 131048, 131057, 133016]);
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

/** After that, the network says again whether it takes more. */
const longestPauseSeconds = 300;

/** Whom the network takes nothing from for how long, or null for another refusal. */
export function throttleOf({
  status,
  code,
  retryAfterSeconds: wait,
}: GraphRefusal): { scope: 'contact' | 'number' | 'account'; seconds: number } | null {
  const waitOr = (usual: number) => Math.min(wait ?? usual, longestPauseSeconds);
  if (code === pairRate) return { scope: 'contact', seconds: waitOr(6) };
  if (throttledAccount.has(code)) return { scope: 'account', seconds: waitOr(10) };
  return throttledNumber.has(code) || status === 429 ? { scope: 'number', seconds: waitOr(10) } : null;
}

/** Translates the failure of a call that sends a message. */
export function toSendError(error: unknown): SendError {
  if (error instanceof GraphRefusal) return refusalToSendError(error);
  if (error instanceof GraphUnreachable && !error.mayHaveArrived) return new SendPostponed(2);
  return new SendOutcomeUnknown(error);
}

function refusalToSendError(refusal: GraphRefusal): SendError {
  const throttle = throttleOf(refusal);
  if (throttle !== null) return new SendPostponed(throttle.seconds);
  // The session goes down. The message waits until the device has valid credentials.
  if (refusesCredentials(refusal) || isLocked(refusal)) return new SendPostponed(60);
  return new SendRefused(refusalReason(refusal.code), refusal.code);
}

/** Also of a message that the network took and could not deliver. */
export function refusalReason(code: number): SendRefused['reason'] {
  if (code === 131026 || code === 131021) return 'recipient_unknown';
  if (code === 131047) return 'window_closed';
  if (templateErrors.has(code)) return 'template_refused';
  return 'network_refused';
}
