import type { FastifyReply, FastifyRequest } from 'fastify';
import { continueOperation, isLockConflict } from '../../database/connection-errors.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import type { FaultPoint } from '../../shared/fault-points.ts';
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
  inSteps<Intent, Outcome, Response extends object, Prepared = unknown>(
    call: Call,
    steps: Steps<Intent, Outcome, Response, Prepared>,
    options?: IdempotencyOptions<Response>,
  ): Promise<Response>;
  /** For an operation that continues after its only commit. A replay is derived from the current state. */
  inAcceptance<Accepted, Response extends object, Prepared = unknown>(
    call: Call,
    steps: AcceptanceSteps<Accepted, Response, Prepared>,
  ): Promise<Response>;
}

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
}

interface Preparation<Prepared> {
  /**
   * Fetches input outside a transaction, while the key is claimed. The claim is renewed after each step, so the deadline of
   * each must be shorter than the claim.
   */
  prepare?(): Promise<Prepared>;
  /** Runs the preparation with the transaction after it, for example when there is memory for both. Default: at once. */
  admit?<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs the transaction that writes. Default: at once. */
  throttle?<Result>(transaction: () => Promise<Result>): Promise<Result>;
}

export interface AcceptanceSteps<Accepted, Response, Prepared = unknown> extends Preparation<Prepared> {
  accept(tx: Transaction, prepared?: Prepared): Promise<{ accepted: Accepted; stored: Response }>;
  /** Runs outside a transaction. A process that dies here leaves the rest to others. */
  finish(accepted: Accepted): Promise<Response>;
  /** Returns the response for the current state, or throws the error of that state. */
  replay(tx: Transaction, stored: Response): Promise<Response>;
}

export interface Steps<Intent, Outcome, Response, Prepared = unknown> extends Preparation<Prepared> {
  /** Stores the intent. After a crash, a retry runs the operation again when the claim has expired. */
  begin(tx: Transaction, prepared?: Prepared): Promise<Intent>;
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
        const begin = async (tx: Transaction, prepared?: Parameters<typeof steps.begin>[1]) => ({
          intent: await steps.begin(tx, prepared),
        });
        const begun = await beginSteps(dependencies, call, key, { ...steps, begin });
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.complete>>;
        if (key !== null) faultPoint('once.after_begin');
        const response = await continueOperation(() =>
          endSteps(dependencies, key, steps, begun.intent, options),
        );
        if (key !== null) reachAfterCommit();
        return response;
      });
    },

    async inAcceptance(call, steps) {
      const key = readIdempotencyKey(call.request, undefined);
      return storeRefusals(results, key, async () => {
        const begin = async (tx: Transaction, prepared?: Parameters<typeof steps.accept>[1]) => {
          const { accepted, stored } = await steps.accept(tx, prepared);
          return { intent: accepted, stored };
        };
        const replay = (tx: Transaction, stored: object) =>
          steps.replay(tx, stored as Awaited<ReturnType<typeof steps.replay>>); // `begin` stored it
        const begun = await beginSteps(dependencies, call, key, { ...steps, begin, replay });
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.finish>>;
        if (key !== null) reachAfterCommit();
        return continueOperation(() => steps.finish(begun.intent));
      });
    },
  };
}

interface BeginSteps<Intent, Prepared> extends Preparation<Prepared> {
  /** `stored` is the final result for retries. */
  begin(tx: Transaction, prepared?: Prepared): Promise<{ intent: Intent; stored?: object }>;
  replay?: Replay;
}

type Replay = (tx: Transaction, stored: object) => Promise<object>;

async function beginSteps<Intent, Prepared>(
  { db, faultPoint, results }: Dependencies,
  call: Call,
  key: ClaimedKey | null,
  steps: BeginSteps<Intent, Prepared>,
): Promise<{ replayed: object } | { intent: Intent }> {
  const write = async (tx: Transaction, prepared?: Prepared) => {
    const { intent, stored } = await steps.begin(tx, prepared);
    if (key !== null && stored !== undefined) await complete(results, tx, key, { status: 200, body: stored });
    return { intent };
  };
  const replayOr = async <Result>(tx: Transaction, run: () => Promise<Result>) => {
    const replayed = key === null ? null : await claim(results, tx, call, key, steps.replay);
    return replayed === null ? run() : { replayed };
  };
  const { prepare, admit = (work) => work(), throttle = (transaction) => transaction() } = steps;
  if (prepare === undefined) {
    return throttle(() => db.transaction().execute((tx) => replayOr(tx, () => write(tx))));
  }
  const known = key === null ? null : await db.transaction().execute((tx) => replayOr(tx, async () => null));
  if (known !== null) return known;
  const keepClaim = async (connection: Database | Transaction) => {
    if (key !== null && !(await renewClaim(connection, key))) throw stillInFlight();
  };
  try {
    return await admit(async () => {
      await keepClaim(db);
      const prepared = await prepare();
      if (key !== null) faultPoint('once.after_prepare');
      return continueOperation(async () => {
        await keepClaim(db);
        return throttle(() =>
          db.transaction().execute(async (tx) => {
            await keepClaim(tx);
            return write(tx, prepared);
          }),
        );
      });
    });
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
  replay: Replay = async (_tx, stored) => stored,
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
  if (known.result.status === 200) return replay(tx, known.result.body);
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
