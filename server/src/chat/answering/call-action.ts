import { emptyResult, unknownOutcome } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { decodeText } from '../../platform/outbound/decode-text.ts';
import { explainFailure } from '../../platform/outbound/explain-failure.ts';
import { followRedirects, isRedirect } from '../../platform/outbound/follow-redirects.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { type Clock, systemClock } from '../../platform/shared/clock.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { type ActionArguments, actionRequest, UnusableArguments } from './action-request.ts';
import { type Chat, signRequest } from './action-signature.ts';
import { ActionNotCalled, createEndpointLimits, type EndpointLimits } from './endpoint-limits.ts';

/** Reports failures in the result. Rejects only if `signal` aborts. */
export type CallAction = (
  action: BotAction,
  given: ActionArguments,
  options: { teamId: string; idempotencyKey: string; chat: Chat | null; signal: AbortSignal },
) => Promise<ActionResult>;

export interface ActionResult {
  status: number | null;
  /** The text for the model: the response, or `error: …`. */
  result: string;
  error: string | null;
}

const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
/** About 4,000 tokens of a model. */
const longestResult = 16 * 1024;
const longestRefusal = 500;

const maxRedirects = 3;

/**
 * Retries a GET once if the connection failed, and follows its redirects on the same host. Other methods carry an
 * Idempotency-Key, which identifies the call in the partner's log.
 */
export function createActionCaller({
  outbound,
  clock = systemClock,
  endpoints = createEndpointLimits(),
}: {
  outbound: Pick<Outbound, 'call'>;
  clock?: Clock;
  endpoints?: EndpointLimits;
}): CallAction {
  return async (action, given, { teamId, idempotencyKey, chat, signal }) => {
    try {
      const unsigned = withDefaultHeaders(actionRequest(action, given), idempotencyKey);
      const { signingSecret: secret } = action;
      const sign = (request: OutboundRequest) =>
        secret === undefined
          ? request
          : signRequest(request, secret, { id: idempotencyKey, sentAt: clock.now(), chat });
      const call = () =>
        endpoints.run(action, { teamId, url: unsigned.url }, () => send(outbound, unsigned, sign, signal));
      const response = await call().catch((error: unknown) => {
        const mayRetry = action.method === 'GET' && error instanceof OutboundError && error.connectionFailed;
        if (!mayRetry) throw error;
        return call();
      });
      return toResult(response, action.method);
    } catch (error) {
      return toFailure(error, action.method);
    }
  };
}

/** The redirects of a GET share its time. Each address is checked, and each request has a signature of its own. */
function send(
  outbound: Pick<Outbound, 'call'>,
  request: OutboundRequest,
  sign: (request: OutboundRequest) => OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const endsAt = performance.now() + timeoutMs;
  const { origin } = new URL(request.url);
  const callOne = (url: string) => {
    const remaining = Math.max(1, Math.round(endsAt - performance.now()));
    return outbound.call(sign({ ...request, url }), { signal, maxBytes, timeoutMs: remaining });
  };
  const mayFollow = (target: URL) => request.method === 'GET' && target.origin === origin;
  return followRedirects(request.url, callOne, { max: maxRedirects, mayFollow });
}

/** Rethrows other errors than those of the call. */
function toFailure(error: unknown, method: BotAction['method']): ActionResult {
  if (error instanceof UnusableArguments || error instanceof ActionNotCalled)
    return failure(null, error.message);
  if (!(error instanceof OutboundError)) throw error;
  const cause = explainFailure(error, { maxBytes, timeoutMs });
  const mayHaveTakenEffect = (error.timedOut || error.mayHaveBeenSent) && method !== 'GET';
  const known = failure(null, cause);
  return mayHaveTakenEffect ? { ...known, result: `${unknownOutcome} Cause: ${cause}.` } : known;
}

function withDefaultHeaders(request: OutboundRequest, idempotencyKey: string): OutboundRequest {
  const defaults: Record<string, string> = {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.5',
    'user-agent': 'Parley',
    ...(request.method === 'GET' ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const configured = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  const added = Object.entries(defaults).filter(([name]) => !configured.has(name));
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(added) } };
}

function toResult({ status, headers, body }: OutboundResponse, method: BotAction['method']): ActionResult {
  const text = compact(decodeText(body, headers['content-type']).replaceAll('\0', ''));
  if (status >= 200 && status < 300)
    return { status, result: text.trim() === '' ? emptyResult : takeStart(text, longestResult), error: null };
  if (isRedirect(status)) return failure(status, explainRedirect(status, method));
  return failure(status, `the service answered with status ${status}`, takeStart(text, longestRefusal));
}

const explainRedirect = (status: number, method: BotAction['method']): string =>
  `the service answered with a redirect (status ${status}), which is followed only ${
    method === 'GET' ? `on the same host, and at most ${maxRedirects} times` : 'for GET'
  }`;

const failure = (status: number | null, error: string, detail = ''): ActionResult => ({
  status,
  error,
  result: `error: ${error}${detail === '' ? '' : `: ${detail}`}`,
});

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Plain text, or JSON that is nested too deeply to write.
    return text;
  }
}
