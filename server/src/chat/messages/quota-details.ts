import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { RateLimitErrorDetails } from '../../platform/http/limits/rate-limit.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { type SendContext, selectSendContext } from './accept.queries.ts';
import type { SendMessage } from './messages.schemas.ts';

/** Limits a flood of refused sends to one statement per second. */
const cacheMs = 1000;
const capacity = 10_000;

interface CachedContext {
  at: number;
  context: Promise<SendContext | undefined>;
}

/** Adds the monthly quota of the device in the body to every 429 of `POST /send`. */
export function createQuotaDetails({
  db,
  clock,
  elapsed = () => performance.now(),
}: {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** A monotonic clock in milliseconds. */
  elapsed?: () => number;
}): RateLimitErrorDetails {
  const cache = createBoundedMap<string, CachedContext>(capacity);
  return async (request) => {
    // The body has passed the schema before the rate limit is checked.
    const { device_id: deviceId } = request.body as SendMessage;
    const { keyId, scope } = requireActor(request);
    const cacheKey = `${keyId} ${deviceId}`;
    const now = elapsed();
    let cached = cache.get(cacheKey);
    if (cached === undefined || now - cached.at >= cacheMs) {
      cached = {
        at: now,
        context: selectSendContext(db, scope, deviceId, toMonth(clock.now())),
      };
      cache.set(cacheKey, cached);
      cached.context.catch(() => cache.delete(cacheKey));
    }
    const context = await cached.context;
    if (context === undefined) throw notFound('device');
    return { quota: context.quota, used: context.used, limit: context.message_limit };
  };
}
