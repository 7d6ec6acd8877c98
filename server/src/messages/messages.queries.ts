import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { inScope } from '../database/scopes.ts';
import type { Scope } from '../http/actor.ts';
import { offsetOf } from '../http/pagination.ts';
import type { ListMessages, MessageRecord } from './messages.schemas.ts';

export interface MessageRow
  extends Pick<
    MessageRecord,
    | 'id'
    | 'team_id'
    | 'device_id'
    | 'contact_number'
    | 'direction'
    | 'origin'
    | 'kind'
    | 'text'
    | 'status'
    | 'refunded'
  > {
  failure: string | null;
  generation: 'generated' | 'failed' | null;
  sent_at: Date | null;
  created_at: Date;
}

const messageColumns = sql`
  id, team_id, device_id, contact_number, direction, origin, kind, text, status, failure, generation, refunded, sent_at,
  created_at`;

/** Messages outlive their team for as long as it takes to purge them. */
const within = (scope: Scope): RawBuilder<unknown> =>
  sql`exists (select from teams t where t.id = messages.team_id)
      and ${inScope(scope, 'team_id')}`;

export async function selectMessage(
  db: Database | Transaction,
  scope: Scope,
  id: string,
): Promise<MessageRow | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where id = ${id} and ${within(scope)}`.execute(db);
  return rows[0];
}

export async function selectMessages(
  db: Database,
  scope: Scope,
  query: ListMessages,
): Promise<{ messages: MessageRow[]; total: number }> {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const matching = sql`
    ${within(scope)} and ${equal('team_id', query.team_id)} and ${equal('device_id', query.device_id)}
    and ${equal('contact_number', query.contact_number)} and ${equal('direction', query.direction)}
    and ${equal('status', query.status)}`;
  // Ids and sequence numbers rise with time alike; each is the end of another index.
  const ofOneTeam = scope.kind === 'team' || query.team_id !== undefined;
  const [messages, counted] = await Promise.all([
    sql<MessageRow>`
      select ${messageColumns} from messages where ${matching}
      order by ${sql.ref(ofOneTeam ? 'seq' : 'id')} desc limit ${query.limit} offset ${offsetOf(query)}`.execute(
      db,
    ),
    sql<{ total: number }>`select count(*) as total from messages where ${matching}`.execute(db),
  ]);
  return { messages: messages.rows, total: counted.rows[0]?.total ?? 0 };
}
