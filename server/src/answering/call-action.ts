import { unknownOutcome } from '../adapters/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../bots/bot-actions.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../outbound/outbound.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { takeStart } from '../shared/cut-text.ts';
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

/**
 * Retries a GET once if the connection failed. Other methods carry an Idempotency-Key, which identifies the call in the
 * partner's log.
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
      const request =
        action.signingSecret === undefined
          ? unsigned
          : signRequest(unsigned, action.signingSecret, { id: idempotencyKey, sentAt: clock.now(), chat });
      const limits = { signal, maxBytes, timeoutMs };
      const call = () =>
        endpoints.run(action, { teamId, url: request.url }, () => outbound.call(request, limits));
      const response = await call().catch((error: unknown) => {
        const mayRetry = request.method === 'GET' && error instanceof OutboundError && error.connectionFailed;
        if (!mayRetry) throw error;
        return call();
      });
      return toResult(response);
    } catch (error) {
      const expected = [OutboundError, UnusableArguments, ActionNotCalled].some(
        (kind) => error instanceof kind,
      );
      if (!expected || !(error instanceof Error)) throw error;
      const mayHaveTakenEffect =
        error instanceof OutboundError &&
        (error.timedOut || error.mayHaveBeenSent) &&
        action.method !== 'GET';
      const known = failure(null, error.message);
      return mayHaveTakenEffect ? { ...known, result: unknownOutcome } : known;
    }
  };
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

function toResult({ status, body }: OutboundResponse): ActionResult {
  const text = compact(body.toString('utf8').replaceAll('\0', ''));
  if (status >= 200 && status < 300) return { status, result: takeStart(text, longestResult), error: null };
  return failure(status, `the service answered with status ${status}`, takeStart(text, longestRefusal));
}

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
