/** A failure that is answered to the caller. Everything else that is thrown becomes a 500 without its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    super(message, { cause: extra.cause });
    this.status = status;
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
  }
}

/** Errors table of the description. */
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

/** `reason` is a stable word for programs; the message is for people and may change. */
export type ErrorDetails = { reason: string } & Record<string, unknown>;

interface ErrorExtra {
  details?: ErrorDetails;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** One fault of the input: `path` as in `team.quotas.bots` or `questions[2].answer`. */
export interface InputIssue {
  path: string;
  message: string;
}

export const badRequest = (reason: string, message: string, details: Record<string, unknown> = {}) =>
  new ApiError(400, 'BAD_REQUEST', message, { details: { reason, ...details } });

/** A `team_id` of a body that names nothing, or what the caller may not see. */
export const unknownTeam: InputIssue = { path: 'team_id', message: 'must be the id of a team' };

const { compare } = new Intl.Collator('en', { numeric: true });

/** Faults that one answer tells. */
export const maxIssues = 100;
/** Bytes of JSON that they take there; they stand in `error` as well. */
const maxIssueBytes = 30 * 1024;
/** Characters of what is said of one fault, as where it names all that would be right: even the longest fits. */
const longestMessage = 8192;

/** All that `faults` yields, or one more than is told: then the others need not be found. */
export function takeReportable<Fault>(faults: Iterable<Fault>): Fault[] {
  const found: Fault[] = [];
  for (const fault of faults) {
    found.push(fault);
    if (found.length > maxIssues) break;
  }
  return found;
}

/** Every fault of the input at once, in the order of their paths; of many the first, and that there are more. */
export function invalidInput(issues: readonly InputIssue[]): ApiError {
  const first = issues.slice(0, maxIssues).map(shortened);
  const told = thatFit(first.toSorted((a, b) => compare(a.path, b.path)));
  const text = told.map(({ path, message }) => `${path} ${message}`).join('; ');
  return told.length === issues.length
    ? badRequest('validation', `Invalid request: ${text}`, { issues: told })
    : badRequest('validation', `Invalid request: ${text}; and more`, { issues: told, more_issues: true });
}

const shortened = ({ path, message }: InputIssue): InputIssue => ({
  path,
  message: message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message,
});

function thatFit(issues: readonly InputIssue[]): InputIssue[] {
  let bytes = 0;
  return issues.filter((issue) => {
    bytes += Buffer.byteLength(JSON.stringify(issue));
    return bytes <= maxIssueBytes;
  });
}

/** Throws what is wrong with the input, if anything is. */
export function requireValid(issues: readonly InputIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues);
}

/** One answer for every cause, byte for byte. */
export const unauthorized = (headers: Record<string, string> = {}) =>
  new ApiError(401, 'UNAUTHORIZED', 'Missing or invalid credentials', {
    headers: { 'www-authenticate': 'Bearer', ...headers },
  });

export const forbidden = (reason: string, message: string) =>
  new ApiError(403, 'FORBIDDEN', message, { details: { reason } });

/** `resource` in the field's words: team, bot, device. What does not exist and what may not be seen are told alike. */
export const notFound = (resource: string) =>
  new ApiError(404, 'NOT_FOUND', `No such ${resource}`, {
    details: { reason: `${resource.replaceAll(' ', '_')}_not_found` },
  });

/** A quota that is reached is a state that forbids the action: 400. */
export const quotaExceeded = (quota: string, used: number, limit: number) =>
  badRequest('quota_exceeded', `The team's quota of ${quota} is used up: ${used} of ${limit}`, {
    quota,
    used,
    limit,
  });

/** More requests than the key's rate allows; `retryAfter` in seconds. */
export const requestRateExceeded = (retryAfter: number, details: Record<string, unknown> = {}) =>
  new ApiError(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests with this API key; see Retry-After', {
    details: { reason: 'request_rate', ...details },
    headers: { 'retry-after': String(retryAfter) },
  });

/** A failure inside an operation that the caller can name. */
export const operationFailed = (reason: string, message: string, cause?: unknown) =>
  new ApiError(500, 'INTERNAL_ERROR', message, { details: { reason }, cause });

/** Before an operation began; `retryAfter` in seconds. */
export const unavailable = (reason: string, message: string, retryAfter: number, cause?: unknown) =>
  new ApiError(503, 'INTERNAL_ERROR', message, {
    details: { reason },
    headers: { 'retry-after': String(retryAfter) },
    cause,
  });
