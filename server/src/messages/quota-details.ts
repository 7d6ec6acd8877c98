import type { Database } from '../database/database.ts';
import { requireActor } from '../http/actor.ts';
import { notFound } from '../http/errors.ts';
import type { RateLimitErrorDetails } from '../http/limits/rate-limit.ts';
import { createBoundedMap } from '../shared/bounded-map.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import { type SendContext, selectSendContext } from './accept.queries.ts';
import type { SendMessage } from './messages.schemas.ts';

/** Milliseconds that a month which was read is told to refused sends: a flood of them costs a statement a second. */
const keptForMs = 1000;
const capacity = 10_000;

interface Read {
  at: number;
  facts: Promise<SendContext | undefined>;
}

/** What the 429 of send tells, whatever its cause: the month of the team whose device the body names. */
export function createQuotaDetails({
  db,
  clock,
  elapsed = () => performance.now(),
}: {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** Milliseconds that only grow. */
  elapsed?: () => number;
}): RateLimitErrorDetails {
  const known = createBoundedMap<string, Read>(capacity);
  return async (request) => {
    // It is asked for when the body has passed its schema.
    const { device_id: deviceId } = request.body as SendMessage;
    const { keyId, scope } = requireActor(request);
    const name = `${keyId} ${deviceId}`;
    const now = elapsed();
    let read = known.get(name);
    if (read === undefined || now - read.at >= keptForMs) {
      read = {
        at: now,
        facts: selectSendContext(db, scope, deviceId, toMonth(clock.now())),
      };
      known.set(name, read);
      read.facts.catch(() => known.delete(name));
    }
    const facts = await read.facts;
    if (facts === undefined) throw notFound('device');
    return { quota: facts.quota, used: facts.used, limit: facts.message_limit };
  };
}
