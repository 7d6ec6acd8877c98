import type { Outbound, OutboundSession } from '../outbound/outbound.ts';
import { OutboundError } from '../outbound/outbound-error.ts';

/** What came of one attempt. `error` is null if the receiver confirmed the delivery with a 2xx. */
export interface AttemptOutcome {
  responseStatus: number | null;
  error: string | null;
}

const timeoutMs = 15_000;
/** The body of a response is read and dropped, so that the connection can be used again. */
const maxResponseBytes = 64 * 1024;

export type WebhookOutbound = Pick<Outbound, 'open'>;

/** Does not follow redirects. Rejects only with the reason of an aborted signal. */
export async function attempt(
  session: Pick<OutboundSession, 'post'>,
  payload: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const request = {
    headers: { 'content-type': 'application/json', 'user-agent': 'Parley-Webhooks', ...headers },
    body: payload,
  };
  try {
    const limits = { maxBytes: maxResponseBytes, timeoutMs, ...(signal === undefined ? {} : { signal }) };
    const { status } = await session.post(request, limits);
    const isConfirmed = status >= 200 && status < 300;
    return { responseStatus: status, error: isConfirmed ? null : `the receiver answered ${status}` };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const timedOut = `no complete response within ${timeoutMs / 1000} seconds`;
    return { responseStatus: null, error: error.timedOut ? timedOut : error.message };
  }
}
