import type { FastifyReply, FastifyRequest } from 'fastify';
import { continueOperation, isLockConflict } from '../../database/connection-errors.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import { faultPoint } from '../../shared/fault-points.ts';
import type { ErrorDetails } from '../error-reasons.ts';
import { ApiError, badRequest, type ErrorCode } from '../errors.ts';
import { type ClaimedKey, claimKey, lockKey, releaseKey, renewClaim } from './idempotency.queries.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { createStoredResults, type StoredResult, type StoredResults } from './stored-results.ts';

/**
 * Runs an operation at most once per API key, method, path and Idempotency-Key. Stores the key in the transaction of the
 * change, so a stored key means that the change was committed.
 */
export interface Idempotency {
  inTransaction<Response extends object>(
    call: Call,
    work: (tx: Transaction) => Promise<Response>,
    options?: IdempotencyOptions<Response>,
  ): Promise<Response>;
  /** For a change that is one statement. Without a key, it is a transaction by itself, and the statement must set `parley.audit`. */
  inStatement<Response extends object>(
    call: Call,
    work: (db: Database | Transaction) => Promise<Response>,
  ): Promise<Response>;
  inSteps<Intent, Outcome, Response extends object>(
    call: Call,
    steps: Steps<Intent, Outcome, Response>,
    options?: IdempotencyOptions<Response>,
  ): Promise<Response>;
  /**
   * Runs `work` with the key of the request, or with null if it has none. Stores a refusal that `work` throws. For an operation
   * that the other two do not fit.
   */
  withKey<Response>(call: Call, work: (key: RequestKey | null) => Promise<Response>): Promise<Response>;
}

/** The Idempotency-Key of one request. */
interface RequestKey {
  /**
   * Claims the key and returns null. Returns the stored response if the operation has run, and throws its error if it was refused.
   * Throws 400 `idempotency_in_flight` while another request runs it.
   */
  claim(tx: Transaction): Promise<object | null>;
  /** Keeps the claim for 40 seconds from now. Throws 400 if another request has claimed the key. */
  renew(connection: Database | Transaction): Promise<void>;
  /** Stores the response for retries. Call it in the transaction of the change. */
  complete(tx: Transaction, response: object): Promise<void>;
  /** Gives the claim up if this error means that nothing was changed. Otherwise the claim expires by itself. */
  releaseAfter(error: unknown): Promise<void>;
  /** A fault point. Call it after the commit of the change. */
  committed(): void;
}

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Steps<Intent, Outcome, Response> {
  /** Stores the intent. After a crash, a retry runs the operation again when the claim has expired. */
  begin(tx: Transaction): Promise<Intent>;
  /** Makes the external call outside a transaction. Its deadline must be shorter than the claim. */
  act(intent: Intent): Promise<Outcome>;
  complete(tx: Transaction, intent: Intent, outcome: Outcome): Promise<Response>;
  /** Undoes the intent after an error. Returns false if it stays, for example because only the acknowledgement was lost. */
  abandon(tx: Transaction, intent: Intent, outcome?: Outcome): Promise<boolean>;
}

interface IdempotencyOptions<Response> {
  /** Identifies equal requests. Default: the parsed JSON body. */
  fingerprint?: string;
  /** Returns the result for retries, if it must differ from the response. */
  remember?: (response: Response) => StoredResult;
}

interface Dependencies {
  db: Database;
  results: StoredResults;
}

export function createIdempotency(options: {
  db: Database;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}): Idempotency {
  const { db } = options;
  const results = createStoredResults(options);
  const dependencies = { db, results };
  const reachAfterCommit = () => faultPoint('idempotency.after_commit');
  const idempotency: Idempotency = {
    async inTransaction(call, work, options = {}) {
      const key = readIdempotencyKey(call.request, options.fingerprint);
      if (key === null) return db.transaction().execute(work);
      return storeRefusals(results, key, async () => {
        const { response, isNew } = await db.transaction().execute(async (tx) => {
          const replayed = await claim(results, tx, call, key);
          if (replayed !== null) return { response: replayed as typeof response, isNew: false };
          const response = await work(tx);
          await complete(results, tx, key, toStoredResult(response, options));
          return { response, isNew: true };
        });
        if (isNew) reachAfterCommit();
        return response;
      });
    },

    async inStatement(call, work) {
      const key = readIdempotencyKey(call.request, undefined);
      return key === null ? work(db) : idempotency.inTransaction(call, work);
    },

    async inSteps(call, steps, options = {}) {
      const key = readIdempotencyKey(call.request, options.fingerprint);
      return storeRefusals(results, key, async () => {
        const begun = await db.transaction().execute(async (tx) => {
          const replayed = key === null ? null : await claim(results, tx, call, key);
          return replayed === null ? { intent: await steps.begin(tx) } : { replayed };
        });
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.complete>>;
        if (key !== null) faultPoint('idempotency.after_begin');
        const response = await continueOperation(() =>
          endSteps(dependencies, key, steps, begun.intent, options),
        );
        if (key !== null) reachAfterCommit();
        return response;
      });
    },

    async withKey(call, work) {
      const key = readIdempotencyKey(call.request, undefined);
      if (key === null) return work(null);
      const used: RequestKey = {
        claim: (tx) => claim(results, tx, call, key),
        async renew(connection) {
          if (!(await renewClaim(connection, key))) throw stillInFlight();
        },
        complete: (tx, response) => complete(results, tx, key, { status: 200, body: response }),
        async releaseAfter(error) {
          // After other errors the commit may have succeeded.
          if (error instanceof ApiError || isLockConflict((error as Error).cause)) await releaseKey(db, key);
        },
        committed: reachAfterCommit,
      };
      return storeRefusals(results, key, () => work(used));
    },
  };
  return idempotency;
}

async function endSteps<Intent, Outcome, Response extends object>(
  { db, results }: Dependencies,
  key: ClaimedKey | null,
  steps: Steps<Intent, Outcome, Response>,
  intent: Intent,
  options: IdempotencyOptions<Response>,
): Promise<Response> {
  const abandon = async (error: unknown, outcome?: Outcome): Promise<never> => {
    await db.transaction().execute(async (tx) => {
      const undone = await steps.abandon(tx, intent, outcome);
      if (!undone || key === null) return;
      // In the same transaction. Otherwise a retry in between would run the operation again.
      if (isRefusal(error)) await results.complete(tx, key, toStoredRefusal(error));
      else await releaseKey(tx, key);
    });
    throw error;
  };
  const outcome = await steps.act(intent).catch((error: unknown) => abandon(error));
  return db
    .transaction()
    .execute(async (tx) => {
      const completed = await steps.complete(tx, intent, outcome);
      if (key !== null) await complete(results, tx, key, toStoredResult(completed, options));
      return completed;
    })
    .catch((error: unknown) => abandon(error, outcome));
}

/** Returns null if this request may run the operation, else the first result. Throws the first error, or 400 while in flight. */
async function claim(
  results: StoredResults,
  tx: Transaction,
  { reply }: Call,
  key: ClaimedKey,
): Promise<object | null> {
  if (!(await lockKey(tx, key))) throw stillInFlight();
  if (await claimKey(tx, key)) return null;
  const known = await results.find(tx, key);
  if (known === undefined || (known.isInFlight && known.result === null)) throw stillInFlight();
  if (known.isErased) {
    throw badRequest(
      'idempotency_expired',
      'The result of this Idempotency-Key contained data of a contact who was erased; use a new key',
    );
  }
  if (!known.fingerprint.equals(key.fingerprint)) {
    throw badRequest(
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request; use a new key for each request',
    );
  }
  if (known.result === null) throw stillInFlight();
  reply.header('idempotent-replayed', 'true');
  if (known.result.status === 200) return known.result.body;
  throw toApiError(known.result);
}

async function complete(
  results: StoredResults,
  tx: Transaction,
  key: ClaimedKey,
  result: StoredResult,
): Promise<void> {
  if (!(await results.complete(tx, key, result))) throw stillInFlight();
}

function toStoredResult<Response extends object>(
  response: Response,
  options: IdempotencyOptions<Response>,
): StoredResult {
  return options.remember?.(response) ?? { status: 200, body: response };
}

/** Stores 400, 403 and 404. A retry after 401, 429, 5xx and a temporary state runs the operation again. */
async function storeRefusals<Result>(
  results: StoredResults,
  key: ClaimedKey | null,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (key !== null && isRefusal(error)) await results.storeRefusal(key, toStoredRefusal(error));
    throw error;
  }
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  [400, 403, 404].includes(error.status) &&
  error.details?.reason.startsWith('idempotency_') !== true &&
  !error.isTemporary &&
  !temporaryReasons.has(error.details?.reason ?? '');

const temporaryReasons: ReadonlySet<string> = new Set([
  'device_not_connected',
  'device_restricted',
  'pool_capacity',
  'recipient_opted_out',
]);

const toStoredRefusal = ({ status, message, code, details }: ApiError): StoredResult => ({
  status,
  body: { error: message, code, details },
});

function toApiError({ status, body }: StoredResult): ApiError {
  // `toStoredRefusal` and `remember` write this shape.
  const { error, code, details } = body as { error: string; code: ErrorCode; details: ErrorDetails };
  return new ApiError(status, code, error, { details });
}

const stillInFlight = () =>
  badRequest(
    'idempotency_in_flight',
    'The first request with this Idempotency-Key is still in progress; retry later with the same key',
  );
