import { takeStart } from '../shared/cut-text.ts';
import { type DetailsOf, type ErrorDetails, type ErrorReason, errorReasons } from './error-reasons.ts';

/** An error that the client sees. Any other thrown error becomes a 500 without its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** A retry with the same Idempotency-Key runs the operation again. */
  readonly isTemporary: boolean;
  constructor(status: number, code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    super(message, { cause: extra.cause });
    this.status = status;
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
    this.isTemporary = extra.isTemporary ?? false;
  }
}

export const errorCodes = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'FEATURE_NOT_AVAILABLE',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

interface ErrorExtra {
  details?: ErrorDetails;
  headers?: Record<string, string>;
  isTemporary?: boolean;
  cause?: unknown;
}

export interface InputIssue {
  path: string;
  message: string;
}

export const badRequest = <Reason extends ErrorReason<400>>(
  reason: Reason,
  message: string,
  ...[details]: Record<never, never> extends DetailsOf<Reason>
    ? [details?: DetailsOf<Reason>]
    : [details: DetailsOf<Reason>]
) =>
  // The reason and its details belong together, which TypeScript cannot express for a generic reason.
  new ApiError(400, 'BAD_REQUEST', message, { details: { reason, ...details } as ErrorDetails });

export const unknownTeam: InputIssue = {
  path: 'team_id',
  message: 'must be the id of a team that the API key may see',
};

const { compare } = new Intl.Collator('en', { numeric: true });

export const maxIssues = 100;
/** JSON bytes of `details.issues`. The same texts appear in `error`. */
const maxIssueBytes = 30 * 1024;
const maxMessageLength = 8192;

export function takeReportable<Issue>(issues: Iterable<Issue>): Issue[] {
  const found: Issue[] = [];
  for (const issue of issues) {
    found.push(issue);
    if (found.length > maxIssues) break;
  }
  return found;
}

/** Reports all issues, sorted by path, or the first ones and `more_issues`. */
export function invalidInput(issues: readonly InputIssue[]): ApiError {
  const first = issues.slice(0, maxIssues).map(truncateMessage);
  const reported = takeWithinSizeLimit(first.toSorted((a, b) => compare(a.path, b.path)));
  const text = reported.map(({ path, message }) => `${path} ${message}`).join('; ');
  return reported.length === issues.length
    ? badRequest('validation', `Invalid request: ${text}`, { issues: reported })
    : badRequest('validation', `Invalid request: ${text}; and more`, { issues: reported, more_issues: true });
}

const truncateMessage = ({ path, message }: InputIssue): InputIssue => ({
  path,
  message: message.length > maxMessageLength ? `${takeStart(message, maxMessageLength)}…` : message,
});

function takeWithinSizeLimit(issues: readonly InputIssue[]): InputIssue[] {
  let bytes = 0;
  return issues.filter((issue) => {
    bytes += Buffer.byteLength(JSON.stringify(issue));
    return bytes <= maxIssueBytes;
  });
}

export function requireValid(issues: readonly InputIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues);
}

/** The values of `WWW-Authenticate`. Only the first two concern the header `Authorization`. */
export const challenges = {
  noToken: 'Bearer error="invalid_request"',
  invalidToken: 'Bearer error="invalid_token"',
  invalidKey: 'Bearer',
} as const;

/** The body is identical for every cause. The challenge tells a missing token from a wrong one, not why it is wrong. */
export const unauthorized = (challenge: keyof typeof challenges, headers: Record<string, string> = {}) =>
  new ApiError(401, 'UNAUTHORIZED', 'Missing or invalid credentials', {
    headers: { 'www-authenticate': challenges[challenge], ...headers },
  });

export const forbidden = (reason: ErrorReason<403>, message: string) =>
  new ApiError(403, 'FORBIDDEN', message, { details: { reason } });

export type Resource = ErrorReason extends infer Reason
  ? Reason extends `${infer Name}_not_found`
    ? Name
    : never
  : never;

/** Also used for resources outside the caller's scope. */
export const notFound = (resource: Resource) => {
  const reason = `${resource}_not_found` as const;
  return new ApiError(404, 'NOT_FOUND', errorReasons[reason].meaning.slice(0, -1), { details: { reason } });
};

/** `needed` is the amount that the request would add to `used`. */
export const quotaExceeded = (
  quota: DetailsOf<'quota_exceeded'>['quota'],
  { used, limit, needed }: { used: number; limit: number; needed: number },
) => {
  const remedy = quota === 'credits' ? 'wait for the next month' : 'delete objects';
  return badRequest(
    'quota_exceeded',
    `The team's quota of ${quota} is ${limit}, its use is ${used}, and this request needs ${needed} more; ${remedy} or raise the quota`,
    { quota, used, limit, needed },
  );
};

export const tooManyAttempts = (retryAfter: number) =>
  new ApiError(429, 'RATE_LIMIT_EXCEEDED', `Too many attempts to sign in; retry in ${retryAfter} s`, {
    details: { reason: 'too_many_attempts' },
    headers: { 'retry-after': String(retryAfter) },
  });

export const requestRateExceeded = (
  retryAfter: number,
  details: DetailsOf<'request_rate'> = {},
  caller = 'API key',
) =>
  new ApiError(
    429,
    'RATE_LIMIT_EXCEEDED',
    `Too many requests with this ${caller}; retry in ${retryAfter} s`,
    {
      details: { reason: 'request_rate', ...details },
      headers: { 'retry-after': String(retryAfter) },
    },
  );

export const operationFailed = (reason: ErrorReason<500>, message: string, cause?: unknown) =>
  new ApiError(500, 'INTERNAL_ERROR', message, { details: { reason }, cause });

/** Only for operations that changed nothing. `retryAfter` in seconds. */
export const unavailable = (reason: ErrorReason<503>, message: string, retryAfter: number, cause?: unknown) =>
  new ApiError(503, 'INTERNAL_ERROR', message, {
    details: { reason },
    headers: { 'retry-after': String(retryAfter) },
    cause,
  });

/** Only for operations that changed nothing. */
export const storageFull = (cause: unknown) =>
  unavailable('storage_full', 'The disk is full. Nothing was changed; free some space and retry', 10, cause);

export const databaseBusy = () =>
  unavailable(
    'database_busy',
    'Another request holds the rows that this one needs. Nothing was changed; retry',
    1,
  );
