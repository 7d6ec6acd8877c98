import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { OutboundSession } from '../../platform/outbound/session.ts';

/** What came of one attempt. `error` is null if the receiver confirmed the delivery with a 2xx. */
export interface AttemptOutcome {
  responseStatus: number | null;
  error: string | null;
}

const timeoutMs = 15_000;
/** The body of a response is read and dropped, so that the connection can be used again. */
const limits = { maxBytes: 64 * 1024, timeoutMs };
const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Parley-Webhooks' };

export type WebhookOutbound = Pick<Outbound, 'open'>;

/** Does not follow redirects. Rejects only with `SessionClosed`. */
export async function attempt(
  session: Pick<OutboundSession, 'post'>,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<AttemptOutcome> {
  try {
    const status = await session.post({ headers: { ...fixedHeaders, ...headers }, body }, limits);
    const isConfirmed = status >= 200 && status < 300;
    return { responseStatus: status, error: isConfirmed ? null : `the receiver answered ${status}` };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const timedOut = `no complete response within ${timeoutMs / 1000} seconds`;
    return { responseStatus: null, error: error.timedOut ? timedOut : error.message };
  }
}
