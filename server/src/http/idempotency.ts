import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../database/database.ts';
import type { Fault } from '../shared/faults.ts';
import { newId } from '../shared/ids.ts';
import { actorOf } from './actor.ts';
import { ApiError, badRequest, type ErrorCode, type ErrorDetails } from './errors.ts';
import {
  type ClaimedKey,
  claimKey,
  completeKey,
  insertRefusal,
  isKnownKey,
  lockKey,
  releaseKey,
  selectKey,
} from './idempotency.queries.ts';

/**
 * Runs an operation at most once per Idempotency-Key, which is its API key's own, for one method and path. The key's row
 * is part of the operation's own transaction, so it is there exactly when the operation's effects are. Without the
 * header the operation simply runs.
 */
export interface Once {
  /** For operations that are one transaction. */
  inTransaction<Response extends object>(
    call: Call,
    work: (tx: Transaction) => Promise<Response>,
    options?: OnceOptions<Response>,
  ): Promise<Response>;
  /** For operations with an outside call between two transactions. */
  inSteps<Intent, Outcome, Response extends object>(
    call: Call,
    steps: Steps<Intent, Outcome, Response>,
    options?: OnceOptions<Response>,
  ): Promise<Response>;
}

interface Call {
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface Steps<Intent, Outcome, Response> {
  /** What must be known before anything is begun, found outside. Not run for a repeat. */
  prepare?(): Promise<void>;
  /**
   * Writes what is intended. With `provisional`, a repeat after a crash gets that answer instead of running the
   * operation again: for intents that are the deed itself.
   */
  begin(tx: Transaction): Promise<{ intent: Intent; provisional?: Response }>;
  /** The outside call, in no transaction, with a deadline of its own below the key's claim. */
  act(intent: Intent): Promise<Outcome>;
  /** Completes the intent; throws when it is no longer there to complete. */
  complete(tx: Transaction, intent: Intent, outcome: Outcome): Promise<Response>;
  /**
   * Undoes the intent after `act` or `complete` threw. False when it stands: it cannot be undone, or was completed by a
   * commit whose acknowledgement alone was lost. Its key then keeps the result for the repeat.
   */
  abandon(tx: Transaction, intent: Intent): Promise<boolean>;
}

interface OnceOptions<Response> {
  /** What makes two requests the same, where it is not the parsed JSON body. */
  fingerprint?: string;
  /** What a repeat gets, where it must not be the response itself. */
  remember?: (response: Response) => StoredResult;
}

export interface StoredResult {
  status: number;
  body: object;
}

/** Printable characters, the space among them. */
export const idempotencyKeyPattern = '^[ -~]{1,255}$';

/** A key is in flight at most this long after its claim; operations end sooner. */
const claimSeconds = 40;

export function createOnce({ db, fault }: { db: Database; fault: Fault }): Once {
  const committed = () => fault('once.after_commit');
  return {
    async inTransaction(call, work, options = {}) {
      const key = claimedKey(call, options.fingerprint);
      if (key === null) return db.transaction().execute(work);
      return withRefusalsKept(db, key, async () => {
        const { response, isNew } = await db.transaction().execute(async (tx) => {
          const replayed = await claim(tx, call, key);
          if (replayed !== null) return { response: replayed as typeof response, isNew: false };
          const response = await work(tx);
          await complete(tx, key, stored(response, options));
          return { response, isNew: true };
        });
        if (isNew) committed();
        return response;
      });
    },

    async inSteps(call, steps, options = {}) {
      const key = claimedKey(call, options.fingerprint);
      return withRefusalsKept(db, key, async () => {
        const unprepared = steps.prepare !== undefined && key !== null && (await isKnownKey(db, key));
        if (!unprepared) await steps.prepare?.();
        const begun = await db.transaction().execute(async (tx) => {
          const replayed = key === null ? null : await claim(tx, call, key);
          if (replayed !== null) return { replayed };
          // The request that this one would have repeated was given up in between.
          if (unprepared) throw inFlight();
          const { intent, provisional } = await steps.begin(tx);
          if (key !== null && provisional !== undefined) {
            await completeKey(tx, key, stored(provisional, options), { stillInFlight: true });
          }
          return { intent };
        });
        if ('replayed' in begun) return begun.replayed as Awaited<ReturnType<typeof steps.complete>>;
        if (key !== null) fault('once.after_begin');
        try {
          const outcome = await steps.act(begun.intent);
          const response = await db.transaction().execute(async (tx) => {
            const completed = await steps.complete(tx, begun.intent, outcome);
            if (key !== null) await complete(tx, key, stored(completed, options));
            return completed;
          });
          if (key !== null) committed();
          return response;
        } catch (error) {
          await db.transaction().execute(async (tx) => {
            const undone = await steps.abandon(tx, begun.intent);
            if (undone && key !== null) await releaseKey(tx, key);
          });
          throw error;
        }
      });
    },
  };
}

const keyPattern = new RegExp(idempotencyKeyPattern);

/** The request's key with a fresh claim on it, or null when it carries none. */
function claimedKey({ request }: Call, fingerprint: string | undefined): ClaimedKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    throw badRequest('idempotency_key', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  return {
    apiKeyId: actorOf(request).keyId,
    method: request.method,
    path: request.url.split('?')[0] ?? request.url,
    key,
    fingerprint: createHash('sha256')
      .update(fingerprint ?? canonicalJson(request.body))
      .digest(),
    claim: newId(),
    claimSeconds,
  };
}

/** Null when the operation is ours to run; otherwise the first result, or an error that says why not. */
async function claim(tx: Transaction, { reply }: Call, key: ClaimedKey): Promise<object | null> {
  if (!(await lockKey(tx, key))) throw inFlight();
  if (await claimKey(tx, key)) return null;
  const known = await selectKey(tx, key);
  if (known === undefined || known.in_flight) throw inFlight();
  if (!known.fingerprint.equals(key.fingerprint)) {
    throw badRequest('idempotency_mismatch', 'This Idempotency-Key was used for another request');
  }
  reply.header('idempotent-replayed', 'true');
  if (known.status === 200) return known.body as object;
  throw storedError(known.status ?? 500, known.body);
}

async function complete(tx: Transaction, key: ClaimedKey, result: StoredResult): Promise<void> {
  if (!(await completeKey(tx, key, result, { stillInFlight: false }))) throw inFlight();
}

function stored<Response extends object>(response: Response, options: OnceOptions<Response>): StoredResult {
  return options.remember?.(response) ?? { status: 200, body: response };
}

/** 400, 403 and 404 are results too; 401, 429 and 5xx are never stored, so that a repeat tries again. */
async function withRefusalsKept<Result>(
  db: Database,
  key: ClaimedKey | null,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (key !== null && error instanceof ApiError && isKept(error)) {
      const body = { error: error.message, code: error.code, details: error.details };
      await insertRefusal(db, key, { status: error.status, body });
    }
    throw error;
  }
}

const isKept = ({ status, details }: ApiError): boolean =>
  [400, 403, 404].includes(status) && details?.reason.startsWith('idempotency_') !== true;

function storedError(status: number, body: unknown): ApiError {
  // Written by withRefusalsKept or by an operation's `remember`, in this shape.
  const { error, code, details } = body as { error: string; code: ErrorCode; details: ErrorDetails };
  return new ApiError(status, code, error, { details });
}

const inFlight = () =>
  badRequest('idempotency_in_flight', 'The first request with this Idempotency-Key is still being worked on');

/** Members in a fixed order, so that equal requests have equal texts. */
function canonicalJson(value: unknown): string {
  const sorted = (_: string, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? '';
}
