import type { Error as ErrorBody } from './api.generated.ts';

type Details = NonNullable<ErrorBody['details']>;

/** The stable words of `details.reason`, and two of the client's own for requests without a response. */
export type Reason =
  | (Details extends { reason: infer Known extends string } ? Known : string)
  | 'connection_failed'
  | 'timeout';

/** The details of errors with this reason. */
export type DetailsOf<Word extends Reason> = Details & { reason: Word };

/** A request that failed. The message is the API's. */
export class ParleyError<Word extends Reason = Reason> extends Error {
  override readonly name = 'ParleyError';
  /** Undefined for 401 and for answers that are not the API's. */
  readonly reason: Word | undefined;
  readonly details: DetailsOf<Word> | undefined;
  /** The HTTP status. 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorBody['code'] | undefined;
  readonly requestId: string;
  /** Seconds after which the request may be retried. */
  readonly retryAfter: number | undefined;

  constructor(message: string, rest: Omit<ParleyError<Word>, keyof Error> & { cause?: unknown }) {
    const { cause, reason, details, status, code, requestId, retryAfter } = rest;
    super(message, { cause });
    this.reason = reason;
    this.details = details;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** Returns true for a failed request, with this reason if one is given, and narrows its `details`. */
export function isParleyError<Word extends Reason>(
  error: unknown,
  reason?: Word,
): error is ParleyError<Word> & { details: DetailsOf<Word> } {
  return error instanceof ParleyError && (reason === undefined || error.reason === reason);
}

/** Reads both forms of the error body: `error` is a text, or an object with the same members. */
export function toError(response: Response, body: unknown, requestId: string): ParleyError {
  const outer = (body ?? {}) as { error?: unknown; code?: ErrorBody['code']; details?: Details };
  const nested = typeof outer.error === 'object' && outer.error !== null;
  const { message, code, details } = nested
    ? (outer.error as { message?: string; code?: ErrorBody['code']; details?: Details })
    : { ...outer, message: outer.error as string | undefined };
  return new ParleyError(message ?? `The server returned ${response.status} ${response.statusText}`, {
    reason: details?.['reason'] as Reason | undefined,
    details: (details ?? undefined) as DetailsOf<Reason> | undefined,
    status: response.status,
    code,
    requestId: response.headers.get('x-request-id') ?? requestId,
    retryAfter: readRetryAfter(response.headers.get('retry-after')),
  });
}

/** `Retry-After` is a number of seconds or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? (Date.parse(value) - Date.now()) / 1000 : seconds;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
