import type { BotAction } from '../bots/bot-actions.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../outbound/outbound.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { type ActionArguments, actionRequest, UnusableArguments } from './action-request.ts';

/** Calls an action. What goes wrong is told in the result; rejects only when `signal` aborts. */
export type CallAction = (
  action: BotAction,
  given: ActionArguments,
  options: { idempotencyKey: string; signal: AbortSignal },
) => Promise<ActionResult>;

export interface ActionResult {
  /** Null when nothing answered. */
  status: number | null;
  /** For the model: the answer, or `error: …`. */
  result: string;
  /** What went wrong, null when nothing did. */
  error: string | null;
}

const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
/** Characters of an answer that the model gets to read. */
const longestResult = 64 * 1024;
const longestRefusal = 500;

/**
 * An action that is not GET is never repeated by itself, and carries an Idempotency-Key, so that the partner can tell a
 * repeat when an answer is made again after a crash. A GET is tried again once, when the connection failed.
 */
export function createActionCaller({ outbound }: { outbound: Pick<Outbound, 'call'> }): CallAction {
  return async (action, given, { idempotencyKey, signal }) => {
    try {
      const request = withStandingHeaders(actionRequest(action, given), idempotencyKey);
      const limits = { signal, maxBytes, timeoutMs };
      const response = await outbound.call(request, limits).catch((error: unknown) => {
        const again = request.method === 'GET' && error instanceof OutboundError && error.connectionFailed;
        if (!again) throw error;
        return outbound.call(request, limits);
      });
      return resultOf(response);
    } catch (error) {
      if (error instanceof OutboundError || error instanceof UnusableArguments)
        return failure(null, error.message);
      throw error;
    }
  };
}

/** The partner's own headers go before ours. */
function withStandingHeaders(request: OutboundRequest, idempotencyKey: string): OutboundRequest {
  const ours: Record<string, string> = {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.5',
    'user-agent': 'Parley',
    ...(request.method === 'GET' ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const theirs = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  const added = Object.entries(ours).filter(([name]) => !theirs.has(name));
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(added) } };
}

function resultOf({ status, body }: OutboundResponse): ActionResult {
  const text = compact(body.toString('utf8').replaceAll('\0', ''));
  if (status >= 200 && status < 300) return { status, result: text.slice(0, longestResult), error: null };
  return failure(status, `the service answered with status ${status}`, text.slice(0, longestRefusal));
}

const failure = (status: number | null, error: string, detail = ''): ActionResult => ({
  status,
  error,
  result: `error: ${error}${detail === '' ? '' : `: ${detail}`}`,
});

/** JSON without its blanks; other text as it is. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
