import type { FastifyReply, FastifyRequest } from 'fastify';
import { continueOperation, isLockConflict } from '../../database/connection-errors.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import type { FaultPoint } from '../../shared/fault-points.ts';
import { ApiError, badRequest, type ErrorCode, type ErrorDetails } from '../errors.ts';
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
  inSteps<Intent, Outcome, Response extends object, Prepared = unknown>(
    call: Call,
    steps: Steps<Intent, Outcome, Response, Prepared>,
    options?: IdempotencyOptions<Response>,
  ): Promise<Response>;
}

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Steps<Intent, Outcome, Response, Prepared = unknown> {
  /** Fetches input outside a transaction, while the key is claimed. Its deadline must be shorter than the claim. */
  prepare?(): Promise<Prepared>;
  /** Stores the intent. After a crash, a retry returns `provisional` if set; otherwise it runs the operation again. */
  begin(tx: Transaction, prepared?: Prepared): Promise<{ intent: Intent; provisional?: Response }>;
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
  faultPoint: FaultPoint;
  results: StoredResults;
}

export function createIdempotency(options: {
  db: Database;
  faultPoint: FaultPoint;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}): Idempotency {
  const { db, faultPoint } = options;
  const results = createStoredResults(options);
  const dependencies = { db, faultPoint, results };
  const reachAfterCommit = () => faultPoint('once.after_commit');
  return {
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

    async inSteps(call, steps, options = {}) {
      const key = readIdempotencyKey(call.request, options.fingerprint);
      return storeRefusals(results, key, async () => {
        const begun = await beginSteps(dependencies, call, key, steps, options);
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.complete>>;
        if (key !== null) faultPoint('once.after_begin');
        const response = await continueOperation(() =>
          endSteps(dependencies, key, steps, begun.intent, options),
        );
        if (key !== null) reachAfterCommit();
        return response;
      });
    },
  };
}

async function beginSteps<Intent, Outcome, Response extends object, Prepared>(
  { db, faultPoint, results }: Dependencies,
  call: Call,
  key: ClaimedKey | null,
  steps: Steps<Intent, Outcome, Response, Prepared>,
  options: IdempotencyOptions<Response>,
): Promise<{ replayed: object } | { intent: Intent }> {
  const write = async (tx: Transaction, prepared?: Prepared) => {
    const { intent, provisional } = await steps.begin(tx, prepared);
    if (key !== null && provisional !== undefined) {
      await results.complete(tx, key, toStoredResult(provisional, options), { stillInFlight: true });
    }
    return { intent };
  };
  const replayOr = async <Result>(tx: Transaction, run: () => Promise<Result>) => {
    const replayed = key === null ? null : await claim(results, tx, call, key);
    return replayed === null ? run() : { replayed };
  };
  if (steps.prepare === undefined) {
    return db.transaction().execute((tx) => replayOr(tx, () => write(tx)));
  }
  const known = await db.transaction().execute((tx) => replayOr(tx, async () => null));
  if (known !== null) return known;
  try {
    const prepared = await steps.prepare();
    if (key !== null) faultPoint('once.after_prepare');
    return await continueOperation(() =>
      db.transaction().execute(async (tx) => {
        if (key !== null && !(await renewClaim(tx, key))) throw stillInFlight();
        return write(tx, prepared);
      }),
    );
  } catch (error) {
    // After other errors the commit may have succeeded. The claim then expires by itself.
    const isUndone = error instanceof ApiError || isLockConflict((error as Error).cause);
    if (key !== null && isUndone) await releaseKey(db, key);
    throw error;
  }
}

async function endSteps<Intent, Outcome, Response extends object, Prepared>(
  { db, results }: Dependencies,
  key: ClaimedKey | null,
  steps: Steps<Intent, Outcome, Response, Prepared>,
  intent: Intent,
  options: IdempotencyOptions<Response>,
): Promise<Response> {
  const abandon = async (error: unknown, outcome?: Outcome): Promise<never> => {
    await db.transaction().execute(async (tx) => {
      const undone = await steps.abandon(tx, intent, outcome);
      if (!undone || key === null) return;
      // In the same transaction. Otherwise a retry in between would run the operation again.
      if (isRefusal(error)) await results.complete(tx, key, toStoredRefusal(error), { stillInFlight: false });
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
  if (known === undefined || known.isInFlight) throw stillInFlight();
  if (!known.fingerprint.equals(key.fingerprint)) {
    throw badRequest('idempotency_mismatch', 'This Idempotency-Key was already used for a different request');
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
  if (!(await results.complete(tx, key, result, { stillInFlight: false }))) throw stillInFlight();
}

function toStoredResult<Response extends object>(
  response: Response,
  options: IdempotencyOptions<Response>,
): StoredResult {
  return options.remember?.(response) ?? { status: 200, body: response };
}

/** Stores 400, 403 and 404. A retry after 401, 429 and 5xx runs the operation again. */
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
  error.details?.reason.startsWith('idempotency_') !== true;

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
  badRequest('idempotency_in_flight', 'The first request with this Idempotency-Key is still in progress');
