import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { deliverableEvents, replayableEvents } from '../events/events.sql.ts';
import type {
  CreateWebhook,
  ListDeliveries,
  ListWebhooks,
  UpdateWebhook,
  Webhook,
} from './webhooks.schemas.ts';
import { isFailing } from './webhooks.sql.ts';

export interface WebhookRow extends Pick<Webhook, 'id' | 'team_id' | 'url' | 'events' | 'description'> {
  enabled: boolean;
  ordered: boolean;
  thin: boolean;
  disabled_reason: 'gone' | 'failing' | null;
  disabled_at: Date | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`
  w.id, w.team_id, w.url, w.events, w.description, w.enabled, w.ordered, w.thin, w.disabled_reason, w.disabled_at,
  w.failing_since, w.created_at, w.updated_at`;

export type NewWebhook = Required<Omit<CreateWebhook, 'team_id'>> & { id: string; teamId: string | null };

export async function insertWebhook(
  tx: Transaction,
  { id, teamId, url, events, description, enabled, ordered, thin }: NewWebhook,
  secretSealed: Buffer,
): Promise<WebhookRow> {
  const { rows } = await sql<WebhookRow>`
    insert into webhooks as w (id, team_id, url, events, description, enabled, ordered, thin, secret_sealed)
    values (${id}, ${teamId}, ${url}, ${events}::text[], ${description}, ${enabled}, ${ordered}, ${thin}, ${secretSealed})
    returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the webhook was not inserted');
  return row;
}

/** Until the transaction ends, other creations for the team wait here, so that none sees an outdated count. */
export async function countWebhooksBeforeInsert(tx: Transaction, teamId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`parley webhooks of ${teamId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhooks where team_id = ${teamId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export function selectWebhooks(
  db: Database,
  scope: Scope,
  query: ListWebhooks,
): Promise<ListPage<WebhookRow>> {
  const ofTeam = query.team_id === undefined ? sql`true` : sql`w.team_id = ${query.team_id}::uuid`;
  const withState = query.failing === undefined ? sql`true` : sql`${isFailing} = ${query.failing}::boolean`;
  const from = sql`webhooks w where ${inScope(scope, 'w.team_id')} and ${ofTeam} and ${withState}`;
  return selectPage(db, { columns, from, order: sql`w.created_at desc, w.id desc` }, pageRange(query));
}

const isVisible = (scope: Scope, id: string): RawBuilder<unknown> =>
  sql`w.id = ${id} and ${inScope(scope, 'w.team_id')}`;

export async function selectWebhook(
  db: Database | Transaction,
  scope: Scope,
  id: string,
  lock: 'for update' | 'no lock' = 'no lock',
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhooks w where ${isVisible(scope, id)}
    ${lock === 'for update' ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** Enabling forgets why the webhook was disabled. */
export async function updateWebhookRow(
  tx: Transaction,
  scope: Scope,
  id: string,
  { url, events, description, enabled, ordered, thin }: UpdateWebhook,
): Promise<WebhookRow | undefined> {
  const enables = enabled === true;
  const { rows } = await sql<WebhookRow>`
    update webhooks w set url = coalesce(${url ?? null}, url), events = coalesce(${events ?? null}::text[], events),
      description = coalesce(${description ?? null}, description), enabled = coalesce(${enabled ?? null}::boolean, enabled),
      ordered = coalesce(${ordered ?? null}::boolean, ordered), thin = coalesce(${thin ?? null}::boolean, thin),
      disabled_reason = case when ${enables} then null else disabled_reason end,
      disabled_at = case when ${enables} then null else disabled_at end,
      failing_since = case when ${enables} then null else failing_since end,
      updated_at = ${nextUpdate('updated_at')}
    where ${isVisible(scope, id)} returning ${columns}`.execute(tx);
  return rows[0];
}

/** Watched by delete_deliveries_of_webhook. */
export async function deleteWebhookRow(tx: Transaction, scope: Scope, id: string): Promise<boolean> {
  const { rows } = await sql`delete from webhooks w where ${isVisible(scope, id)} returning w.id`.execute(tx);
  return rows.length === 1;
}

/** Returns when the previous secret stops signing. */
export async function updateSecret(
  tx: Transaction,
  scope: Scope,
  id: string,
  secretSealed: Buffer,
): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    update webhooks w set previous_secret_sealed = secret_sealed, previous_secret_until = now() + interval '24 hours',
                          secret_sealed = ${secretSealed}, updated_at = now()
    where ${isVisible(scope, id)} returning previous_secret_until as until`.execute(tx);
  return rows[0]?.until;
}

export interface SecretsRow {
  id: string;
  url: string;
  team_id: string | null;
  thin: boolean;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

export const secretColumns = sql`
  w.secret_sealed, case when w.previous_secret_until > now() then w.previous_secret_sealed end as previous_secret_sealed`;

export async function selectSecrets(db: Database, scope: Scope, id: string): Promise<SecretsRow | undefined> {
  const { rows } = await sql<SecretsRow>`
    select w.id, w.url, w.team_id, w.thin, ${secretColumns} from webhooks w where ${isVisible(scope, id)}`.execute(
    db,
  );
  return rows[0];
}

interface DeliveredEvent {
  type: string;
  team_id: string | null;
  data: object;
  event_created_at: Date;
}

export interface DeliveryRow extends DeliveredEvent {
  event_id: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: Date;
  last_attempt_at: Date | null;
  response_status: number | null;
  error: string | null;
  created_at: Date;
}

export async function selectDeliveries(
  db: Database,
  webhookId: string,
  query: ListDeliveries,
): Promise<ListPage<DeliveryRow>> {
  const withStatus = query.status === undefined ? sql`true` : sql`d.status = ${query.status}`;
  const isFailing = sql`(d.status = 'failed' or (d.status = 'pending' and d.attempts > 0))`;
  const withFailing = query.failing === undefined ? sql`true` : sql`${isFailing} = ${query.failing}`;
  // With a join, the total would read an event for each delivery.
  const { rows, total } = await selectPage<Omit<DeliveryRow, keyof DeliveredEvent>>(
    db,
    {
      columns: sql`d.event_id, d.status, d.attempts, d.next_attempt_at, d.last_attempt_at, d.response_status, d.error,
                   d.created_at`,
      from: sql`webhook_deliveries d where d.webhook_id = ${webhookId} and ${withStatus} and ${withFailing}`,
      order: sql`d.created_at desc, d.event_id desc`,
    },
    pageRange(query),
  );
  const { rows: events } = await sql<DeliveredEvent & { id: string }>`
    select e.id, e.type, e.team_id, e.data, e.created_at as event_created_at from ${deliverableEvents} e
    where e.id = any(${rows.map(({ event_id: id }) => id)}::uuid[])`.execute(db);
  const byId = new Map(events.map(({ id, ...event }) => [id, event]));
  const withEvents = rows.flatMap((row) => {
    const event = byId.get(row.event_id);
    return event === undefined ? [] : [{ ...row, ...event }];
  });
  return { rows: withEvents, total };
}

/**
 * Delivers an event again, or the next ones after an id. Returns the number of events and the id of the last one; null: none.
 */
export async function insertReplay(
  tx: Transaction,
  { id, team_id: teamId }: Pick<WebhookRow, 'id' | 'team_id'>,
  which: { eventId: string } | { after: string; limit: number },
): Promise<{ deliveries: number; last: string | null }> {
  const { rows } = await sql<{ deliveries: number; last: string | null }>`
    with page as materialized (
      select e.id, w.id as webhook_id, e.xid, e.seq, ${chatOf} as chat
      from webhooks w cross join ${replayableEvents(teamId, which)} e
      where w.id = ${id} ${'after' in which ? sql`and ${isSubscribed} order by e.id limit ${which.limit}` : sql``}
    ), added as (
      insert into webhook_deliveries (event_id, webhook_id, xid, seq, chat)
      select id, webhook_id, xid, seq, chat from page order by id
      on conflict (event_id, webhook_id) do update
        set status = 'pending', attempts = 0, next_attempt_at = now(), created_at = now(), error = null
    )
    select count(*)::int as deliveries, (array_agg(id order by id desc))[1] as last from page`.execute(tx);
  return rows[0] ?? { deliveries: 0, last: null };
}

/** Needs `webhooks w` and an event `e`. */
export const isSubscribed = sql`('*' = any(w.events) or e.type = any(w.events))`;

export const chatOf = sql`case when w.ordered then e.device_id || ' ' || e.contact_number end`;
