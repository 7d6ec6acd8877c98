import type { Database } from '../../database/database.ts';
import { createBoundedMap } from '../../shared/bounded-map.ts';
import { unavailable } from '../errors.ts';
import { type Draw, drawBlock } from './rate-limit.queries.ts';

export interface RateLimitStatus {
  allowed: boolean;
  remaining: number;
  /** Seconds until more requests are allowed; at least 1. */
  resetsIn: number;
}

export interface RequestRate {
  readonly limitPerMinute: number;
  /** Counts one request. Returns no promise if this process has requests of the key left. */
  take(keyId: string): RateLimitStatus | Promise<RateLimitStatus>;
}

/** One key's requests that this process has drawn. Times are milliseconds of `elapsed`. */
interface Allowance {
  available: number;
  expiresAt: number;
  undrawn: number;
  freesAt: number;
  refusedUntil: number;
  drawing: Promise<void> | null;
}

const windowMs = 60_000;

const blocksPerWindow = 100;

const capacity = 10_000;

/**
 * Creates a sliding-window limiter for all processes on one database. A process draws blocks of 1% of the limit from the
 * key's row. A drawn block can be a minute old, so each process can exceed the limit by one block: 20 processes stay below
 * 1.2 times the limit.
 */
export function createRequestRate({
  db,
  limitPerMinute,
  elapsed = () => performance.now(),
}: {
  db: Database;
  limitPerMinute: number;
  elapsed?: () => number;
}): RequestRate {
  const blockSize = Math.ceil(limitPerMinute / blocksPerWindow);
  const maxDraws = Math.floor(limitPerMinute / blockSize);
  const allowances = createBoundedMap<string, Allowance>(capacity);

  const getAllowance = (keyId: string): Allowance => {
    const known = allowances.get(keyId);
    if (known !== undefined) return known;
    const empty = { available: 0, expiresAt: 0, undrawn: 0, freesAt: 0, refusedUntil: 0, drawing: null };
    allowances.set(keyId, empty);
    return empty;
  };

  const draw = async (keyId: string, allowance: Allowance): Promise<void> => {
    const { granted, drawn, freesInMs } = await drawBlock(db, keyId, maxDraws).catch(toApiError);
    const now = elapsed();
    allowance.freesAt = now + freesInMs;
    allowance.undrawn = (maxDraws - drawn) * blockSize;
    if (granted) Object.assign(allowance, { available: blockSize, expiresAt: now + windowMs });
    else allowance.refusedUntil = allowance.freesAt;
  };

  const drawAndTake = async (keyId: string, allowance: Allowance): Promise<RateLimitStatus> => {
    for (;;) {
      allowance.drawing ??= draw(keyId, allowance).finally(() => {
        allowance.drawing = null;
      });
      await allowance.drawing;
      const status = takeAvailable(allowance, elapsed());
      if (status !== null) return status;
    }
  };

  return {
    limitPerMinute,
    take(keyId) {
      const allowance = getAllowance(keyId);
      return takeAvailable(allowance, elapsed()) ?? drawAndTake(keyId, allowance);
    },
  };
}

function takeAvailable(allowance: Allowance, now: number): RateLimitStatus | null {
  const resetsIn = Math.max(1, Math.ceil((allowance.freesAt - now) / 1000));
  if (allowance.available > 0 && now < allowance.expiresAt) {
    allowance.available -= 1;
    return { allowed: true, remaining: allowance.available + allowance.undrawn, resetsIn };
  }
  return now < allowance.refusedUntil ? { allowed: false, remaining: 0, resetsIn } : null;
}

function toApiError(error: unknown): Promise<Draw> {
  throw unavailable('database_away', 'The database is unavailable; retry', 1, error);
}
