import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { prepare } from '../database/prepare.ts';
import type { Scope } from '../database/scopes.ts';
import { isLeaseValid } from '../pool/leases.sql.ts';

export interface SendContext {
  device_id: string;
  team_id: string;
  bot_id: string;
  name: string;
  allowed: boolean;
  banned: boolean;
  ready: boolean;
  quota: number;
  message_limit: number;
  used: number;
}

interface SendLookup {
  deviceId: string;
  teamId: string | null;
  month: string;
}

/** The quota has a soft margin of 5%, computed in integers. */
const facts = (value: (name: keyof SendLookup) => unknown) => sql`
  select d.id as device_id, d.team_id, d.bot_id, d.name, p.allow_active_messaging as allowed, t.banned,
         d.status = 'started' and d.connected and ${isLeaseValid('pool')} as ready,
         p.active_messages_monthly as quota, p.active_messages_monthly::bigint * 105 / 100 as message_limit,
         coalesce((select active_messages from monthly_usage u where u.team_id = d.team_id and u.month = ${value('month')}::date),
                  0) as used
  from devices d join teams t on t.id = d.team_id join plans p on p.name = t.plan_name
  left join pools pool on pool.id = d.pool_id
  where d.id = ${value('deviceId')} and (${value('teamId')}::uuid is null or d.team_id = ${value('teamId')})`;

const readSendContext = prepare<SendLookup, SendContext>((value) => sql<SendContext>`${facts(value)}`);

export async function selectSendContext(
  db: Database,
  scope: Scope,
  deviceId: string,
  month: string,
): Promise<SendContext | undefined> {
  const [row] = await readSendContext(db, { deviceId, teamId: toTeamId(scope), month });
  return row;
}

const toTeamId = (scope: Scope): string | null => (scope.kind === 'all' ? null : scope.teamId);

export interface AcceptedRow {
  id: string;
  networkId: string;
  deviceId: string;
  /** With `+`. */
  contactNumber: string;
  kind: 'text' | 'image' | 'voice';
  text: string;
  generation: 'generated' | 'failed' | null;
}

const chargedInsert = prepare<AcceptedRow & SendLookup, SendContext & { charged: number | null }>(
  (value) => sql`
    with facts as (${facts(value)}), charged as (
      insert into monthly_usage as u (team_id, month, active_messages)
      select team_id, ${value('month')}::date, 1 from facts where allowed and not banned and ready and message_limit > 0
      on conflict (team_id, month) do update set active_messages = u.active_messages + 1
        where u.active_messages < (select message_limit from facts)
      returning active_messages
    ), message as (
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                            charged_month, generation)
      select ${value('id')}::uuid, team_id, device_id, ${value('contactNumber')}, 'out', 'api', ${value('kind')},
             ${value('text')}, ${value('networkId')}, 'accepted', ${value('month')}::date, ${value('generation')}
      from facts, charged
    )
    select facts.*, (select active_messages from charged) as charged from facts`,
);

/**
 * Charges the month and inserts the message in one statement, so that the row lock is short. `charged` is the use of the
 * month with this message, null if it was not accepted. Returns undefined if the device or team is missing or outside the scope.
 */
export async function insertCharged(
  db: Database | Transaction,
  scope: Scope,
  month: string,
  message: AcceptedRow,
): Promise<(SendContext & { charged: number | null }) | undefined> {
  try {
    const [row] = await chargedInsert(db, { ...message, teamId: toTeamId(scope), month });
    return row;
  } catch (error) {
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
}

/** Only the foreign key to the month's team can fail. */
const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23503';
