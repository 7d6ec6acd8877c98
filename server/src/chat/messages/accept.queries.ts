import { sql } from 'kysely';
import { isHandedOver, lostItsPool } from '../../devices/hosting.sql.ts';
import { isLeaseValid } from '../../devices/leases.sql.ts';
import { templatesForText, usableDefaultTemplate } from '../../devices/templates.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTimeout100ms } from '../../platform/database/lock-timeout.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import {
  messagingNetworks,
  networkCapabilities,
  networksWithWindow,
} from '../../ports/messaging-network/supported-content.ts';
import { auditAcceptedMessages } from '../../records/audit/audit.sql.ts';
import { isOptedOut } from '../consents/consents.sql.ts';
import { contactOf } from '../conversations/conversations.sql.ts';
import { hasWritten, windowEnd } from './messages.sql.ts';

export interface SendContext {
  device_id: string;
  team_id: string;
  bot_id: string;
  name: string;
  allowed: boolean;
  banned: boolean;
  ready: boolean;
  /** Not ready, because its pool has ended and another one takes the device over. */
  taken_over: boolean;
  quota: number;
  message_limit: number;
  used: number;
  /** The network refuses new chats of the device until then. */
  restricted_until: Date | null;
  opted_out: boolean;
  /** The network lets devices write first. */
  initiates: boolean;
  /** The network takes only templates: the contact has not written for 24 hours. */
  window_closed: boolean;
  default_template: { name: string; language: string } | null;
  /** Templates that the network takes instead of a text. */
  templates: { name: string; language: string }[];
}

const networksThatNeverInitiate = messagingNetworks.filter(
  (name) => networkCapabilities[name].initiates === 'never',
);

/** Reads `asked` with the forms of the contact, whose `scope_team_id` is null for all teams. The quota has a soft margin of 5%, computed in integers. */
const sendContext = sql`
  select d.id as device_id, d.team_id, d.bot_id, d.name, p.allow_active_messaging as allowed, t.banned,
         d.status = 'started' and (d.connected and ${isLeaseValid('pool')} or ${isHandedOver('d')}) as ready,
         d.status = 'started' and d.logged_in and ${lostItsPool('d', 'pool')} as taken_over,
         p.active_messages_monthly as quota, p.active_messages_monthly::bigint * 105 / 100 as message_limit,
         coalesce((select active_messages from monthly_usage u where u.team_id = d.team_id and u.month = asked.month), 0) as used,
         case when d.new_chats_restricted_until > now() then d.new_chats_restricted_until end as restricted_until,
         ${isOptedOut(
           sql`d.team_id`,
           sql`asked.contact_number`,
           sql`asked.contact_hash`,
           contactOf('asked.device_id', 'asked.contact_number'),
         )} as opted_out,
         coalesce(d.network, '') <> all(${networksThatNeverInitiate}::text[]) as initiates,
         case when d.network = any(${networksWithWindow}::text[])
              then coalesce(${windowEnd('d.id', 'chat.contact_number')} <= now(), true) else false end as window_closed,
         ${usableDefaultTemplate} as default_template,
         case when d.network = any(${networksWithWindow}::text[]) then ${templatesForText('d.id')} else '[]' end as templates
  from devices d join teams t on t.id = d.team_id join plans p on p.name = t.plan_name
  left join pools pool on pool.id = d.pool_id
  cross join lateral (
    select coalesce(${contactOf('asked.device_id', 'asked.contact_number')}, asked.contact_number) as contact_number
  ) as chat
  where d.id = asked.device_id and (asked.scope_team_id is null or d.team_id = asked.scope_team_id)`;

const readSendContext = prepare<
  { deviceId: string; teamId: string | null; month: string; contactNumber: string; contactHash: string },
  SendContext
>(
  (value) => sql`
    select found.*
    from (select ${value('deviceId')}::uuid as device_id, ${value('teamId')}::uuid as scope_team_id,
                 ${value('month')}::date as month, ${value('contactNumber')}::text as contact_number,
                 ${value('contactHash')}::text as contact_hash) as asked
    cross join lateral (${sendContext}) as found`,
);

export async function selectSendContext(
  db: Database,
  scope: Scope,
  message: Pick<NewMessage, 'deviceId' | 'month' | 'contactNumber' | 'contactHash'>,
): Promise<SendContext | undefined> {
  const { deviceId, month, contactNumber, contactHash } = message;
  const asked = { deviceId, month, contactNumber, contactHash };
  const [row] = await readSendContext(db, { ...asked, teamId: toTeamId(scope) });
  return row;
}

const toTeamId = (scope: Scope): string | null => (scope.kind === 'all' ? null : scope.teamId);

export interface NewMessage {
  id: string;
  networkId: string;
  deviceId: string;
  scope: Scope;
  /** The month to charge. */
  month: string;
  /** With `+`. */
  contactNumber: string;
  /** What an erasure kept of the number if the contact had opted out. */
  contactHash: string;
  kind: 'text' | 'image' | 'voice';
  text: string;
  generation: 'generated' | 'failed' | null;
  /** JSON of the template to send it as. */
  template: string | null;
  /** JSON of the options that it offers. */
  choices: string | null;
  /** While the device may start no new chats. */
  whenRestricted: 'refuse' | 'hold';
  /** The request's context for the audit log. Null: no row. */
  audit: string | null;
}

/** `used_after` is the use of the month with this message, null if the message was not accepted. */
export type AcceptResult = SendContext & {
  used_after: number | null;
  /** The message would start a chat that the network refuses. */
  is_restricted: boolean;
  /** It goes as a template. */
  has_template: boolean;
};

type Columns = Record<Exclude<keyof NewMessage, 'scope'> | 'teamId', readonly (string | null)[]>;

/** A condition on rows of `facts`. Locks the row of the month. False if another transaction has locked it. */
const lockFreeMonth = sql`
  ((team_id, month) in (
     select team_id, month from monthly_usage u where (team_id, month) in (select team_id, month from facts)
     for no key update of u skip locked)
   or not exists (select from monthly_usage u where u.team_id = facts.team_id and u.month = facts.month))`;

/**
 * Charges each month of a team for all of its messages or for none. `offset 0` prevents a table scan. The subqueries around the
 * lists hide their length from the planner, which would otherwise replan short lists each time.
 * Watched by record_message_event and record_monthly_usage_event.
 */
const insertStatement = ({ skipLocked }: { skipLocked: boolean }) =>
  prepare<Columns, AcceptResult & { position: number }>(
    (value) => sql`
      with facts as materialized (
        select asked.position, asked.id, asked.network_id, asked.month, chat.contact_number, asked.kind, asked.text,
               asked.generation, asked.audit, asked.when_restricted = 'hold' as is_held, found.*, asked.choices,
               coalesce(asked.template, case when found.window_closed and asked.kind = 'text' and asked.choices is null then
                 found.default_template || jsonb_build_object('parameters', jsonb_build_array(asked.text)) end) as template,
               case when found.restricted_until is null or asked.when_restricted = 'hold' then false
                    else not ${hasWritten('found.device_id', 'chat.contact_number')} end as is_restricted
        from ${skipLocked ? sql`${lockTimeout100ms},` : sql``} unnest(
          (select ${value('id')}::uuid[]), (select ${value('networkId')}::text[]), (select ${value('deviceId')}::uuid[]),
          (select ${value('teamId')}::uuid[]), (select ${value('month')}::date[]),
          (select ${value('contactNumber')}::text[]), (select ${value('contactHash')}::text[]),
          (select ${value('kind')}::text[]), (select ${value('text')}::text[]),
          (select ${value('generation')}::text[]), (select ${value('whenRestricted')}::text[]),
          (select ${value('audit')}::text[]), (select ${value('template')}::jsonb[]), (select ${value('choices')}::jsonb[])
        ) with ordinality as asked (id, network_id, device_id, scope_team_id, month, contact_number, contact_hash, kind, text, generation,
                                    when_restricted, audit, template, choices, position)
        cross join lateral (${sendContext} offset 0) as found
        cross join lateral (
          select coalesce(${contactOf('asked.device_id', 'asked.contact_number')}, asked.contact_number) as contact_number
        ) as chat
      ), sendable as materialized (
        select *, row_number() over (partition by team_id, month order by position) as nth from facts
        where allowed and not banned and ready and not opted_out and initiates and not is_restricted and (not window_closed or template is not null) and ${skipLocked ? lockFreeMonth : sql`true`}
      ), charge as materialized (
        select team_id, month, message_limit, count(*) as messages from sendable group by team_id, month, message_limit
      ), charged as (
        insert into monthly_usage as u (team_id, month, active_messages)
        select team_id, month, messages from charge where messages <= message_limit order by team_id, month
        on conflict (team_id, month) do update set active_messages = u.active_messages + excluded.active_messages
          where u.active_messages::bigint + excluded.active_messages
            <= (select message_limit from charge where charge.team_id = u.team_id and charge.month = u.month)
        returning team_id, month, active_messages
      ), message as (
        insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                              charged_month, generation, held_when_restricted, request_id, template, choices)
        select id, team_id, device_id, contact_number, 'out', 'api', kind, text, network_id, 'accepted', month, generation,
               is_held, audit::jsonb ->> 'request_id', template, choices
        from sendable join charged using (team_id, month) order by position
      ), audited as (
        ${auditAcceptedMessages(sql`sendable join charged using (team_id, month)`)}
      )
      select facts.position, facts.device_id, facts.team_id, facts.bot_id, facts.name, facts.allowed, facts.banned,
             facts.ready, facts.taken_over, facts.quota, facts.message_limit, facts.used, facts.restricted_until, facts.opted_out, facts.initiates, facts.window_closed, facts.default_template, facts.templates, facts.is_restricted, facts.template is not null as has_template,
             charged.active_messages - charge.messages + sendable.nth as used_after
      from facts left join sendable using (position)
      left join charge on charge.team_id = sendable.team_id and charge.month = sendable.month
      left join charged on charged.team_id = sendable.team_id and charged.month = sendable.month`,
  );

const insertWaitingForLocks = insertStatement({ skipLocked: false });
const insertSkippingLocked = insertStatement({ skipLocked: true });

const toColumns = (messages: readonly NewMessage[]): Columns => ({
  id: messages.map(({ id }) => id),
  networkId: messages.map(({ networkId }) => networkId),
  deviceId: messages.map(({ deviceId }) => deviceId),
  teamId: messages.map(({ scope }) => toTeamId(scope)),
  month: messages.map(({ month }) => month),
  contactNumber: messages.map(({ contactNumber }) => contactNumber),
  contactHash: messages.map(({ contactHash }) => contactHash),
  kind: messages.map(({ kind }) => kind),
  text: messages.map(({ text }) => text),
  generation: messages.map(({ generation }) => generation),
  template: messages.map(({ template }) => template),
  choices: messages.map(({ choices }) => choices),
  whenRestricted: messages.map(({ whenRestricted }) => whenRestricted),
  audit: messages.map(({ audit }) => audit),
});

/**
 * Charges the month and inserts the message in one statement, so that the row lock is short. Returns undefined if the device
 * or team is missing or outside the scope.
 */
export async function insertCharged(
  db: Database | Transaction,
  message: NewMessage,
): Promise<AcceptResult | undefined> {
  try {
    const [row] = await insertWaitingForLocks(db, toColumns([message]));
    return row;
  } catch (error) {
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
}

/**
 * Charges and inserts messages of many teams in one statement, in their order. Accepts no message of a team whose month is
 * locked by another transaction or has no room for all of the team's messages. Throws after 100 ms of lock wait; then nothing
 * is accepted.
 */
export async function insertChargedTogether(
  db: Database,
  messages: readonly NewMessage[],
): Promise<(AcceptResult | undefined)[]> {
  const found: (AcceptResult | undefined)[] = messages.map(() => undefined);
  for (const row of await insertSkippingLocked(db, toColumns(messages))) found[row.position - 1] = row;
  return found;
}

/** The only foreign key that can fail is the month's: its team may have been deleted meanwhile. */
const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23503';
