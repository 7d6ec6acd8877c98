import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import {
  badRequest,
  type InputIssue,
  invalidInput,
  notFound,
  unknownTeam,
} from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { idBefore, newId } from '../../platform/shared/ids.ts';
import { lockTeamShared } from '../../tenancy/teams/teams.sql.ts';
import { recordAudit } from '../audit/audit.sql.ts';
import { eventExists } from '../events/events.sql.ts';
import { presentEvent } from '../events/present-event.ts';
import { attempt, type WebhookOutbound } from './attempt.ts';
import { createPayload } from './payload.ts';
import { createSign, newSecret, sealSecret } from './secrets.ts';
import {
  countWebhooksBeforeInsert,
  type DeliveryRow,
  deleteWebhookRow,
  insertReplay,
  insertWebhook,
  selectSecrets,
  selectWebhook,
  updateSecret,
  updateWebhookRow,
  type WebhookRow,
} from './webhooks.queries.ts';
import type {
  CreateWebhook,
  Delivery,
  Replay,
  TestResult,
  UpdateWebhook,
  Webhook,
} from './webhooks.schemas.ts';

/** Each event of a team is stored once for each of its webhooks, in one statement for all teams. */
const maxWebhooksOfTeam = 50;

/** A key of scope `team` creates webhooks of its team, another key also webhooks of all teams. */
export async function createWebhook(
  tx: Transaction,
  encryption: Pick<Encryption, 'seal'>,
  { scope }: Actor,
  { team_id: given = null, ...input }: CreateWebhook,
): Promise<Webhook & { secret: string }> {
  const teamId = given ?? (scope.kind === 'team' ? scope.teamId : null);
  if (teamId !== null && !(await lockTeamShared(tx, scope, teamId))) throw invalidInput([unknownTeam]);
  if (teamId !== null && (await countWebhooksBeforeInsert(tx, teamId)) >= maxWebhooksOfTeam)
    throw badRequest('too_many_webhooks', `A team can have at most ${maxWebhooksOfTeam} webhooks`);
  const [id, secret] = [newId(), newSecret()];
  const defaults = { description: '', enabled: true, ordered: false, thin: false };
  const row = await insertWebhook(
    tx,
    { ...defaults, ...input, id, teamId },
    sealSecret(encryption, id, secret),
  );
  return { ...presentWebhook(row), secret };
}

export async function getWebhook(db: Database, { scope }: Actor, id: string): Promise<Webhook> {
  return presentWebhook(required(await selectWebhook(db, scope, id)));
}

export async function updateWebhook(
  tx: Transaction,
  { scope }: Actor,
  id: string,
  changes: UpdateWebhook,
): Promise<Webhook> {
  const current = required(await selectWebhook(tx, scope, id, 'for update'));
  requireUnchanged(changes, presentWebhook(current));
  return presentWebhook(required(await updateWebhookRow(tx, scope, id, changes)));
}

export async function deleteWebhook(tx: Transaction, { scope }: Actor, id: string): Promise<void> {
  if (!(await deleteWebhookRow(tx, scope, id))) throw notFound('webhook');
}

export async function rotateSecret(
  tx: Transaction,
  encryption: Pick<Encryption, 'seal'>,
  { scope }: Actor,
  id: string,
): Promise<{ secret: string; previous_secret_until: string }> {
  const secret = newSecret();
  const until = required(await updateSecret(tx, scope, id, sealSecret(encryption, id, secret)));
  return { secret, previous_secret_until: timestamp(until) };
}

/** Posts an event of type `webhook.test` at once. It appears in no list and is not repeated. */
export async function testWebhook(
  {
    db,
    encryption,
    outbound,
  }: {
    db: Database;
    encryption: Pick<Encryption, 'open'>;
    outbound: WebhookOutbound;
  },
  { scope }: Actor,
  webhookId: string,
): Promise<TestResult> {
  const webhook = required(await selectSecrets(db, scope, webhookId));
  await db.transaction().execute((tx) =>
    recordAudit(tx, {
      objectType: 'webhook',
      objectId: webhookId,
      teamId: webhook.team_id,
      after: { test: true, url: webhook.url },
    }),
  );
  const event = {
    id: newId(),
    type: 'webhook.test',
    created_at: timestamp(new Date()),
    team_id: webhook.team_id,
    data: { webhook_id: webhookId },
  };
  const payload = createPayload(event, webhook);
  const startedAt = performance.now();
  const session = outbound.open(webhook.url, { connections: 1 });
  try {
    const { responseStatus, error } = await attempt(
      session,
      payload,
      createSign(encryption, webhook)(event.id, payload),
    );
    const duration = Math.round(performance.now() - startedAt);
    return { delivered: error === null, response_status: responseStatus, error, duration_ms: duration };
  } finally {
    await session.close();
  }
}

const maxReplayed = 100_000;
/** Of one transaction. Later events of all teams wait until it ends. */
const replayedTogether = 5_000;

/** Delivers events again, the oldest first. Returns their number. */
export async function replay(
  db: Database,
  { scope }: Actor,
  webhookId: string,
  { event_id: eventId, since }: Replay,
): Promise<number> {
  const webhook = required(await selectWebhook(db, scope, webhookId));
  const audited = {
    objectType: 'webhook',
    objectId: webhookId,
    teamId: webhook.team_id,
    after: eventId === undefined ? { since } : { event_id: eventId },
  };
  if (eventId !== undefined)
    return db.transaction().execute(async (tx) => {
      if (!(await eventExists(tx, scope, eventId)))
        throw invalidInput([{ path: 'event_id', message: 'must be the id of an event' }]);
      await recordAudit(tx, audited);
      return (await insertReplay(tx, webhook, { eventId })).deliveries;
    });
  let total = 0;
  let after: string | null = idBefore(new Date(since ?? 0));
  while (after !== null && total < maxReplayed) {
    const page = { after, limit: replayedTogether };
    const { deliveries, last } = await db.transaction().execute(async (tx) => {
      const added = await insertReplay(tx, webhook, page);
      if (total === 0) await recordAudit(tx, audited);
      return added;
    });
    total += deliveries;
    after = last;
  }
  return total;
}

function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw notFound('webhook');
  return row;
}

export function* webhookIssues({
  url,
  events,
}: {
  url?: string | undefined;
  events?: readonly (string | undefined)[] | undefined;
}): Iterable<InputIssue> {
  if (url !== undefined && !isReceiverUrl(url)) {
    yield { path: 'url', message: 'must be an http or https URL without user, password and fragment' };
  }
  if (events?.includes('*') === true && events.length > 1) {
    yield { path: 'events', message: 'must be a list of types, or only *' };
  }
}

function isReceiverUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${hash}` === '';
}

export function* replayIssues({
  event_id: eventId,
  since,
}: {
  event_id?: string | undefined;
  since?: string | undefined;
}): Iterable<InputIssue> {
  if ((eventId === undefined) === (since === undefined)) {
    yield { path: 'event_id', message: 'or since must be given, but not both' };
  }
}

export const presentWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  team_id: row.team_id,
  url: row.url,
  events: row.events,
  description: row.description,
  enabled: row.enabled,
  ordered: row.ordered,
  thin: row.thin,
  disabled_reason: row.disabled_reason,
  disabled_at: timestampOrNull(row.disabled_at),
  failing_since: timestampOrNull(row.failing_since),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

export const presentDelivery = (row: DeliveryRow, webhook: Pick<Webhook, 'thin'>): Delivery => ({
  event_id: row.event_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.status === 'pending' ? timestamp(row.next_attempt_at) : null,
  last_attempt_at: timestampOrNull(row.last_attempt_at),
  response_status: row.response_status,
  error: row.error,
  payload: createPayload(
    presentEvent({ ...row, id: row.event_id, created_at: row.event_created_at }),
    webhook,
  ),
  created_at: timestamp(row.created_at),
});
