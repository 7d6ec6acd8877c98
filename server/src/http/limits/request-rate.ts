import type { Database } from '../../database/database.ts';
import { createBoundedMap } from '../../shared/bounded-map.ts';
import { unauthorized, unavailable } from '../errors.ts';
import { type Draw, drawBlock } from './rate-limit.queries.ts';

/** What is left of a key's requests, after one of them was taken or refused. */
export interface RateLimitStatus {
  admitted: boolean;
  /** Requests left in this minute, as far as this process knows. */
  remaining: number;
  /** Seconds until more are free; 1 at least. */
  freesIn: number;
}

/** How many requests a key may make in any minute, over all processes on one database. */
export interface RequestRate {
  readonly limitPerMinute: number;
  /** Takes one request of the key. No promise while this process has some of its requests in hand. */
  take(keyId: string): RateLimitStatus | Promise<RateLimitStatus>;
}

/** What this process has of one key's requests. Times are milliseconds of `elapsed`. */
interface Holding {
  /** Requests in hand, good until `expiresAt`. */
  inHand: number;
  expiresAt: number;
  /** Requests that nobody had drawn when this process drew last. */
  undrawn: number;
  freesAt: number;
  /** Until then there is nothing to draw. */
  refusedUntil: number;
  drawing: Promise<void> | null;
}

const windowMs = 60_000;

/** A block is this part of the limit: small enough for the bounds below, and a hundred draws a minute cost nothing. */
const blocksPerWindow = 100;

/** Keys whose requests are in hand at once. */
const capacity = 10_000;

/**
 * A sliding minute: a process draws a block of 1% of the limit from the key's row and hands its requests out without
 * asking again; a block can be drawn while fewer than all were drawn in the last minute. A fixed minute would let through
 * twice the limit around its turn. What a process has in hand may be a minute old, so each process adds at most one block
 * to what any minute lets through (twenty stay below 1.2 times the limit), and keeps at most one from the others.
 */
export function createRequestRate({
  db,
  limitPerMinute,
  elapsed = () => performance.now(),
}: {
  db: Database;
  /** 1 or more. */
  limitPerMinute: number;
  /** Milliseconds that only grow. */
  elapsed?: () => number;
}): RequestRate {
  const blockSize = Math.ceil(limitPerMinute / blocksPerWindow);
  const maxDraws = Math.floor(limitPerMinute / blockSize);
  const holdings = createBoundedMap<string, Holding>(capacity);

  const holdingOf = (keyId: string): Holding => {
    const known = holdings.get(keyId);
    if (known !== undefined) return known;
    const nothing = { inHand: 0, expiresAt: 0, undrawn: 0, freesAt: 0, refusedUntil: 0, drawing: null };
    holdings.set(keyId, nothing);
    return nothing;
  };

  const draw = async (keyId: string, holding: Holding): Promise<void> => {
    const { granted, drawn, freesInMs } = await drawBlock(db, keyId, maxDraws).catch(refuseAll);
    const now = elapsed();
    holding.freesAt = now + freesInMs;
    holding.undrawn = (maxDraws - drawn) * blockSize;
    if (granted) Object.assign(holding, { inHand: blockSize, expiresAt: now + windowMs });
    else holding.refusedUntil = holding.freesAt;
  };

  const drawAndTake = async (keyId: string, holding: Holding): Promise<RateLimitStatus> => {
    for (;;) {
      holding.drawing ??= draw(keyId, holding).finally(() => {
        holding.drawing = null;
      });
      await holding.drawing;
      const standing = takeInHand(holding, elapsed());
      if (standing !== null) return standing;
    }
  };

  return {
    limitPerMinute,
    take(keyId) {
      const holding = holdingOf(keyId);
      return takeInHand(holding, elapsed()) ?? drawAndTake(keyId, holding);
    },
  };
}

/** Null when only the database can tell. */
function takeInHand(holding: Holding, now: number): RateLimitStatus | null {
  const freesIn = Math.max(1, Math.ceil((holding.freesAt - now) / 1000));
  if (holding.inHand > 0 && now < holding.expiresAt) {
    holding.inHand -= 1;
    return { admitted: true, remaining: holding.inHand + holding.undrawn, freesIn };
  }
  return now < holding.refusedUntil ? { admitted: false, remaining: 0, freesIn } : null;
}

/** Without the database nothing can be admitted, and nothing could be done: it is away, or the key is gone. */
function refuseAll(error: unknown): Promise<Draw> {
  if ((error as { code?: string }).code === foreignKeyViolation) throw unauthorized();
  throw unavailable('database_away', 'The database is away; try again', 1, error);
}

const foreignKeyViolation = '23503';
