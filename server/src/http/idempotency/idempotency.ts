import type { FastifyReply, FastifyRequest } from 'fastify';
import { continueOperation, isLockConflict } from '../../database/connection-errors.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import type { FaultPoint } from '../../shared/fault-points.ts';
import { ApiError, badRequest, type ErrorCode, type ErrorDetails } from '../errors.ts';
import { type ClaimedKey, claimKey, lockKey, releaseKey, renewClaim } from './idempotency.queries.ts';
import { claimedKey } from './idempotency-key.ts';
import { createStoredResults, type StoredResult, type StoredResults } from './stored-results.ts';

/**
 * Runs an operation at most once per Idempotency-Key, which is its API key's own, for one method and path. The key's row
 * is part of the operation's own transaction, so it is there exactly when the operation's effects are. Without the
 * header the operation simply runs.
 */
export interface Idempotency {
  /** For operations that are one transaction. */
  inTransaction<Response extends object>(
    call: Call,
    work: (tx: Transaction) => Promise<Response>,
    options?: OnceOptions<Response>,
  ): Promise<Response>;
  /** For operations with an outside call between two transactions. */
  inSteps<Intent, Outcome, Response extends object, Prepared = unknown>(
    call: Call,
    steps: Steps<Intent, Outcome, Response, Prepared>,
    options?: OnceOptions<Response>,
  ): Promise<Response>;
}

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Steps<Intent, Outcome, Response, Prepared = unknown> {
  /**
   * What must be fetched or made before anything is begun: under the key's claim, so that it is done once for requests
   * that come at the same time, in no transaction, with a deadline of its own below the claim's.
   */
  prepare?(): Promise<Prepared>;
  /**
   * Writes what is intended. With `provisional`, a repeat after a crash gets that answer instead of running the
   * operation again: for intents that are the deed itself.
   */
  begin(tx: Transaction, prepared?: Prepared): Promise<{ intent: Intent; provisional?: Response }>;
  /** The outside call, in no transaction, with a deadline of its own below the key's claim. */
  act(intent: Intent): Promise<Outcome>;
  /** Completes the intent; throws when it is no longer there to complete. */
  complete(tx: Transaction, intent: Intent, outcome: Outcome): Promise<Response>;
  /**
   * Undoes the intent after `act` or `complete` threw; `outcome` is absent when `act` did. Returns false when the intent
   * stands: it cannot be undone, or its commit succeeded and only the acknowledgement was lost. Its key then keeps the
   * result for the repeat.
   */
  abandon(tx: Transaction, intent: Intent, outcome?: Outcome): Promise<boolean>;
}

interface OnceOptions<Response> {
  /** What makes two requests the same, where it is not the parsed JSON body. */
  fingerprint?: string;
  /** What a repeat gets, where it must not be the response itself. */
  remember?: (response: Response) => StoredResult;
}

interface Dependencies {
  db: Database;
  faultPoint: FaultPoint;
  kept: StoredResults;
}

export function createIdempotency(options: {
  db: Database;
  faultPoint: FaultPoint;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}): Idempotency {
  const { db, faultPoint } = options;
  const kept = createStoredResults(options);
  const dependencies = { db, faultPoint, kept };
  const committed = () => faultPoint('once.after_commit');
  return {
    async inTransaction(call, work, options = {}) {
      const key = claimedKey(call.request, options.fingerprint);
      if (key === null) return db.transaction().execute(work);
      return withRefusalsKept(kept, key, async () => {
        const { response, isNew } = await db.transaction().execute(async (tx) => {
          const replayed = await claim(kept, tx, call, key);
          if (replayed !== null) return { response: replayed as typeof response, isNew: false };
          const response = await work(tx);
          await complete(kept, tx, key, stored(response, options));
          return { response, isNew: true };
        });
        if (isNew) committed();
        return response;
      });
    },

    async inSteps(call, steps, options = {}) {
      const key = claimedKey(call.request, options.fingerprint);
      return withRefusalsKept(kept, key, async () => {
        const begun = await beginSteps(dependencies, call, key, steps, options);
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.complete>>;
        if (key !== null) faultPoint('once.after_begin');
        const response = await continueOperation(() =>
          endSteps(dependencies, key, steps, begun.intent, options),
        );
        if (key !== null) committed();
        return response;
      });
    },
  };
}

/** The intent, written; or the first result of an operation that was begun before. */
async function beginSteps<Intent, Outcome, Response extends object, Prepared>(
  { db, faultPoint, kept }: Dependencies,
  call: Call,
  key: ClaimedKey | null,
  steps: Steps<Intent, Outcome, Response, Prepared>,
  options: OnceOptions<Response>,
): Promise<{ replayed: object } | { intent: Intent }> {
  const write = async (tx: Transaction, prepared?: Prepared) => {
    const { intent, provisional } = await steps.begin(tx, prepared);
    if (key !== null && provisional !== undefined) {
      await kept.complete(tx, key, stored(provisional, options), { stillInFlight: true });
    }
    return { intent };
  };
  const claimOr = async <Other>(tx: Transaction, other: () => Promise<Other>) => {
    const replayed = key === null ? null : await claim(kept, tx, call, key);
    return replayed === null ? other() : { replayed };
  };
  if (steps.prepare === undefined) {
    return db.transaction().execute((tx) => claimOr(tx, () => write(tx)));
  }
  const known = await db.transaction().execute((tx) => claimOr(tx, async () => null));
  if (known !== null) return known;
  try {
    const prepared = await steps.prepare();
    if (key !== null) faultPoint('once.after_prepare');
    return await continueOperation(() =>
      db.transaction().execute(async (tx) => {
        if (key !== null && !(await renewClaim(tx, key))) throw inFlight();
        return write(tx, prepared);
      }),
    );
  } catch (error) {
    // Refused for certain. Of anything else it is not known what was written: the claim then ends by itself.
    const isUndone = error instanceof ApiError || isLockConflict((error as Error).cause);
    if (key !== null && isUndone) await releaseKey(db, key);
    throw error;
  }
}

async function endSteps<Intent, Outcome, Response extends object, Prepared>(
  { db, kept }: Dependencies,
  key: ClaimedKey | null,
  steps: Steps<Intent, Outcome, Response, Prepared>,
  intent: Intent,
  options: OnceOptions<Response>,
): Promise<Response> {
  const abandon = async (error: unknown, outcome?: Outcome): Promise<never> => {
    await db.transaction().execute(async (tx) => {
      const undone = await steps.abandon(tx, intent, outcome);
      if (!undone || key === null) return;
      // Together with the undoing, or a repeat in between would do it all again.
      if (isRefusal(error)) await kept.complete(tx, key, refusalOf(error), { stillInFlight: false });
      else await releaseKey(tx, key);
    });
    throw error;
  };
  const outcome = await steps.act(intent).catch((error: unknown) => abandon(error));
  return db
    .transaction()
    .execute(async (tx) => {
      const completed = await steps.complete(tx, intent, outcome);
      if (key !== null) await complete(kept, tx, key, stored(completed, options));
      return completed;
    })
    .catch((error: unknown) => abandon(error, outcome));
}

/** Null when the operation is ours to run; otherwise the first result, or an error that says why not. */
async function claim(
  kept: StoredResults,
  tx: Transaction,
  { reply }: Call,
  key: ClaimedKey,
): Promise<object | null> {
  if (!(await lockKey(tx, key))) throw inFlight();
  if (await claimKey(tx, key)) return null;
  const known = await kept.find(tx, key);
  if (known === undefined || known.isInFlight) throw inFlight();
  if (!known.fingerprint.equals(key.fingerprint)) {
    throw badRequest('idempotency_mismatch', 'This Idempotency-Key was used for another request');
  }
  if (known.result === null) throw inFlight();
  reply.header('idempotent-replayed', 'true');
  if (known.result.status === 200) return known.result.body;
  throw storedError(known.result);
}

async function complete(
  kept: StoredResults,
  tx: Transaction,
  key: ClaimedKey,
  result: StoredResult,
): Promise<void> {
  if (!(await kept.complete(tx, key, result, { stillInFlight: false }))) throw inFlight();
}

function stored<Response extends object>(response: Response, options: OnceOptions<Response>): StoredResult {
  return options.remember?.(response) ?? { status: 200, body: response };
}

/** 400, 403 and 404 are results too; 401, 429 and 5xx are never stored, so that a repeat tries again. */
async function withRefusalsKept<Result>(
  kept: StoredResults,
  key: ClaimedKey | null,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (key !== null && isRefusal(error)) await kept.refuse(key, refusalOf(error));
    throw error;
  }
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  [400, 403, 404].includes(error.status) &&
  error.details?.reason.startsWith('idempotency_') !== true;

const refusalOf = ({ status, message, code, details }: ApiError): StoredResult => ({
  status,
  body: { error: message, code, details },
});

function storedError({ status, body }: StoredResult): ApiError {
  // Written by withRefusalsKept or by an operation's `remember`, in this shape.
  const { error, code, details } = body as { error: string; code: ErrorCode; details: ErrorDetails };
  return new ApiError(status, code, error, { details });
}

const inFlight = () =>
  badRequest('idempotency_in_flight', 'The first request with this Idempotency-Key is still being worked on');
