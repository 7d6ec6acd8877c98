import type { BotAction } from '../bots/bot-actions.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../outbound/outbound.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { type ActionArguments, actionRequest, UnusableArguments } from './action-request.ts';

/** Reports failures in the result. Rejects only if `signal` aborts. */
export type CallAction = (
  action: BotAction,
  given: ActionArguments,
  options: { idempotencyKey: string; signal: AbortSignal },
) => Promise<ActionResult>;

export interface ActionResult {
  status: number | null;
  /** The text for the model: the response, or `error: …`. */
  result: string;
  error: string | null;
}

const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
const longestResult = 64 * 1024;
const longestRefusal = 500;

/**
 * Retries a GET once if the connection failed. Other methods carry an Idempotency-Key, so that the partner recognizes the
 * call if the answer is retried after a crash.
 */
export function createActionCaller({ outbound }: { outbound: Pick<Outbound, 'call'> }): CallAction {
  return async (action, given, { idempotencyKey, signal }) => {
    try {
      const request = withDefaultHeaders(actionRequest(action, given), idempotencyKey);
      const limits = { signal, maxBytes, timeoutMs };
      const response = await outbound.call(request, limits).catch((error: unknown) => {
        const mayRetry = request.method === 'GET' && error instanceof OutboundError && error.connectionFailed;
        if (!mayRetry) throw error;
        return outbound.call(request, limits);
      });
      return toResult(response);
    } catch (error) {
      if (error instanceof OutboundError || error instanceof UnusableArguments)
        return failure(null, error.message);
      throw error;
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
  if (status >= 200 && status < 300) return { status, result: text.slice(0, longestResult), error: null };
  return failure(status, `the service answered with status ${status}`, text.slice(0, longestRefusal));
}

const failure = (status: number | null, error: string, detail = ''): ActionResult => ({
  status,
  error,
  result: `error: ${error}${detail === '' ? '' : `: ${detail}`}`,
});

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
