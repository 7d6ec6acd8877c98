import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTimeout100ms } from '../../platform/database/lock-timeout.ts';
import { prepare } from '../../platform/database/prepare.ts';
import {
  dataBytes,
  deliverableEvents,
  eventsAfter,
  hasUnfannedEvents,
  lockFannedPosition,
  storeFannedPosition,
} from '../events/events.sql.ts';
import { chatOf, isSubscribed, secretColumns } from './webhooks.queries.ts';

/** Adds the deliveries of new events. Returns the number of events, or 0 while another process does this. */
export async function fanOut(db: Database, limit: number): Promise<number> {
  if (!(await hasUnfannedEvents(db))) return 0;
  return db.transaction().execute(async (tx) => {
    const position = await lockFannedPosition(tx);
    if (position === undefined) return 0;
    const { rows } = await sql<{ xid: string | null; seq: string | null; events: number }>`
      with page as materialized (${eventsAfter(position, limit)}), added as (
        insert into webhook_deliveries (event_id, webhook_id, xid, seq, chat)
        select e.id, w.id, e.xid, e.seq, ${chatOf}
        from page e join webhooks w on w.enabled and (w.team_id is null or w.team_id = e.team_id) and ${isSubscribed}
        order by e.xid, e.seq
        on conflict do nothing
      )
      select count(*)::int as events, (array_agg(xid order by xid desc, seq desc))[1] as xid,
             (array_agg(seq order by xid desc, seq desc))[1]::text as seq from page`.execute(tx);
    const [page] = rows;
    if (page === undefined || page.xid === null || page.seq === null) return 0;
    await storeFannedPosition(tx, { fanned_xid: page.xid, fanned_seq: page.seq });
    return page.events;
  });
}

/** A webhook that this process delivers to while its claim lasts. */
export interface ClaimedWebhook {
  id: string;
  team_id: string | null;
  url: string;
  thin: boolean;
  failing_since: Date | null;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

const claimedColumns = sql`w.id, w.team_id, w.url, w.thin, w.failing_since, ${secretColumns}`;

const hasDue = sql`exists (
  select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending' and d.next_attempt_at <= now())`;

/**
 * Claims enabled webhooks with due deliveries that no living process has claimed, and renews the claims of `owner`. Returns
 * all webhooks of `owner`.
 */
export async function claimWebhooks(
  db: Database,
  owner: string,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<ClaimedWebhook[]> {
  await sql`
    update webhooks w set claimed_by = ${owner}, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where w.id in (
      select w.id from webhooks w
      where w.enabled and ${hasDue} and (
        coalesce(w.claimed_until <= now(), true)
        or w.claimed_by = ${owner} and w.claimed_until < now() + make_interval(secs => ${leaseSeconds}::float8 / 2))
      order by w.id limit ${limit} for no key update skip locked)`.execute(db);
  const { rows } = await sql<ClaimedWebhook>`
    select ${claimedColumns} from webhooks w
    where w.claimed_by = ${owner} and w.claimed_until > now() and w.enabled`.execute(db);
  return rows;
}

export async function releaseWebhooks(db: Database, owner: string, ids: readonly string[]): Promise<void> {
  await sql`
    update webhooks set claimed_by = null, claimed_until = null
    where claimed_by = ${owner} and id = any(${ids}::uuid[])`.execute(db);
}

export interface DueDelivery {
  webhook_id: string;
  event_id: string;
  attempts: number;
  queued_at: Date;
  type: string;
  team_id: string | null;
  data: object;
  data_bytes: number;
  created_at: Date;
}

const due = prepare<
  {
    webhooks: readonly string[];
    rooms: readonly number[];
    byteRooms: readonly number[];
    knownWebhooks: readonly string[];
    known: readonly string[];
  },
  DueDelivery
>(
  (value) => sql`
    select webhook_id, event_id, attempts, queued_at, type, team_id, data, data_bytes, created_at
    from (
      select d.webhook_id, d.event_id, d.attempts, d.created_at as queued_at, e.type, e.team_id, e.data, e.created_at,
             ${dataBytes} as data_bytes, w.byte_room,
             sum(${dataBytes}) over (
               partition by d.webhook_id order by d.next_attempt_at, d.xid, d.seq rows unbounded preceding) as read_bytes
      from unnest((select ${value('webhooks')}::uuid[]), (select ${value('rooms')}::int[]),
                  (select ${value('byteRooms')}::int[])) as w (id, room, byte_room)
      cross join lateral (
        select d.* from webhook_deliveries d
        where d.webhook_id = w.id and d.status = 'pending' and d.next_attempt_at <= now()
          and (d.webhook_id, d.event_id) not in (
            select * from unnest((select ${value('knownWebhooks')}::uuid[]), (select ${value('known')}::uuid[])))
          and (d.chat is null or not exists (
            select from webhook_deliveries earlier
            where earlier.webhook_id = d.webhook_id and earlier.status = 'pending' and earlier.chat = d.chat
              and (earlier.xid, earlier.seq) < (d.xid, d.seq)))
        order by d.next_attempt_at, d.xid, d.seq limit w.room
      ) d join ${deliverableEvents} e on e.id = d.event_id
    ) d where read_bytes - data_bytes < byte_room order by read_bytes`,
);

/** Space for deliveries that are read ahead. */
export interface Room {
  deliveries: number;
  /** Of their data. The delivery that reaches it is the last. */
  bytes: number;
}

/** Reads due deliveries, as many as there is room for at each webhook, without the `known` ones. */
export const selectDue = (
  db: Database,
  webhooks: readonly { id: string; room: Room }[],
  known: readonly { webhookId: string; eventId: string }[],
): Promise<DueDelivery[]> =>
  due(db, {
    webhooks: webhooks.map(({ id }) => id),
    rooms: webhooks.map(({ room }) => room.deliveries),
    byteRooms: webhooks.map(({ room }) => room.bytes),
    knownWebhooks: known.map(({ webhookId }) => webhookId),
    known: known.map(({ eventId }) => eventId),
  });

export interface Attempt {
  webhookId: string;
  eventId: string;
  /** A replay after the start of the attempt has a later time. It keeps the delivery pending. */
  queuedAt: Date;
  delivered: boolean;
  responseStatus: number | null;
  error: string | null;
  /** Seconds until the next attempt; null: none. */
  retryAfter: number | null;
}

/** Without the limit, PostgreSQL would read all pending deliveries in their index, because it expects few. */
const delivery = sql`
  select d.status, d.created_at from webhook_deliveries d
  where d.event_id = attempt.event_id and d.webhook_id = attempt.webhook_id limit 1`;

const attempted = prepare<{ [Column in keyof Attempt]: readonly Attempt[Column][] }, { position: number }>(
  (value) => sql`
    with attempt as materialized (
      select * from unnest(
        (select ${value('webhookId')}::uuid[]), (select ${value('eventId')}::uuid[]),
        (select ${value('queuedAt')}::timestamptz[]), (select ${value('delivered')}::boolean[]), (select ${value('responseStatus')}::int[]),
        (select ${value('error')}::text[]), (select ${value('retryAfter')}::float8[])
      ) with ordinality as attempt (webhook_id, event_id, queued_at, delivered, new_status, new_error, retry_after, position)
    ), open as materialized (
      select position from attempt cross join lateral (${delivery}) d
      where d.status = 'pending' and d.created_at = attempt.queued_at
    ), free as materialized (
      select attempt.* from attempt
        cross join lateral (${delivery} for no key update skip locked) d
      where d.status = 'pending' and d.created_at = attempt.queued_at
    ), updated as (
      update webhook_deliveries d set attempts = d.attempts + 1, last_attempt_at = now(),
        status = case when free.delivered then 'delivered' when free.retry_after is null then 'failed' else 'pending' end,
        next_attempt_at = now() + make_interval(secs => coalesce(free.retry_after, 0)),
        response_status = free.new_status, error = free.new_error
      from free where d.webhook_id = free.webhook_id and d.event_id = free.event_id
      returning free.position
    )
    select position::int from open where position not in (select position from updated)`,
);

/** Returns the positions (from 1) of attempts whose delivery another transaction has locked. They are not recorded. */
export async function recordAttempts(db: Database, attempts: readonly Attempt[]): Promise<Set<number>> {
  const rows = await attempted(db, {
    webhookId: attempts.map(({ webhookId }) => webhookId),
    eventId: attempts.map(({ eventId }) => eventId),
    queuedAt: attempts.map(({ queuedAt }) => queuedAt),
    delivered: attempts.map(({ delivered }) => delivered),
    responseStatus: attempts.map(({ responseStatus }) => responseStatus),
    error: attempts.map(({ error }) => error),
    retryAfter: attempts.map(({ retryAfter }) => retryAfter),
  });
  return new Set(rows.map(({ position }) => position));
}

/** Throws after 100 ms of lock wait. The next success then records it. */
export async function recordWorking(db: Database, webhookId: string): Promise<void> {
  await sql`
    update webhooks set failing_since = null from ${lockTimeout100ms}
    where id = ${webhookId} and failing_since is not null`.execute(db);
}

const failureLimit = sql`interval '5 days'`;

/**
 * Notes a failure. Disables the webhook if its receiver is gone or failed for five days; then returns the reason. Throws after
 * 100 ms of lock wait.
 */
export async function recordFailing(
  tx: Transaction,
  webhookId: string,
  { gone }: { gone: boolean },
): Promise<{ reason: 'gone' | 'failing'; team_id: string | null; url: string } | null> {
  const { rows } = await sql<{
    disabled_reason: 'gone' | 'failing' | null;
    team_id: string | null;
    url: string;
  }>`
    update webhooks set failing_since = coalesce(failing_since, now()),
      enabled = not (${gone}::boolean or coalesce(failing_since <= now() - ${failureLimit}, false)),
      disabled_reason = case when ${gone}::boolean then 'gone'
                             when failing_since <= now() - ${failureLimit} then 'failing' end,
      disabled_at = case when ${gone}::boolean or failing_since <= now() - ${failureLimit} then now() end
    from ${lockTimeout100ms}
    where id = ${webhookId} and enabled
    returning disabled_reason, team_id, url`.execute(tx);
  const [row] = rows;
  if (row === undefined || row.disabled_reason === null) return null;
  return { reason: row.disabled_reason, team_id: row.team_id, url: row.url };
}
