import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import {
  isWithin,
  type ListPage,
  selectCountedPage,
  selectMatchingPage,
  selectNewestPage,
} from '../../platform/database/list-pages.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { hasTeam } from '../../tenancy/teams/teams.sql.ts';
import type { ListMessages, MessageRecord } from './messages.schemas.ts';
import type { StoredDetails } from './messages.sql.ts';

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
  mime_type: string | null;
  details: StoredDetails | null;
  failure_code: number | null;
  template: NonNullable<MessageRecord['template']> | null;
  choices: NonNullable<MessageRecord['choices']> | null;
  pricing: NonNullable<MessageRecord['pricing']> | null;
  generation: 'generated' | 'failed' | null;
  sent_at: Date | null;
  created_at: Date;
}

const messageColumns = [
  'id',
  'team_id',
  'device_id',
  'contact_number',
  'direction',
  'origin',
  'kind',
  'text',
  'status',
  'failure',
  'failure_code',
  'template',
  'choices',
  'pricing',
  'generation',
  'mime_type',
  'details',
  'refunded',
  'sent_at',
  'created_at',
] as const;

const within = (scope: Scope): RawBuilder<unknown> =>
  sql`${hasTeam('messages.team_id')} and ${inScope(scope, 'team_id')}`;

export async function selectMessage(
  db: Database | Transaction,
  scope: Scope,
  id: string,
): Promise<MessageRow | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${sql.join(messageColumns.map((column) => sql.ref(column)))} from messages
    where id = ${id} and ${within(scope)}`.execute(db);
  return rows[0];
}

const searchColumns = ['device_id', 'contact_number'] as const;
const filterColumns = ['team_id', 'direction', 'status'] as const;

/** Of a list over all teams. */
const mostCounted = 100_000;

/**
 * Filters by common values while it reads an index in order. Searches for a device or a contact instead: the index would
 * return their messages after all newer ones of others.
 */
export function selectMessages(
  db: Database,
  scope: Scope,
  query: ListMessages,
  countedOfAll = mostCounted,
): Promise<ListPage<MessageRow>> {
  const conditionsOn = (columns: readonly (typeof searchColumns | typeof filterColumns)[number][]) =>
    columns
      .filter((column) => query[column] !== undefined)
      .map((column) => sql`${sql.ref(column)} = ${query[column]}`);
  const searched = conditionsOn(searchColumns);
  const conditions = [
    within(scope),
    ...isWithin('created_at', query),
    ...conditionsOn(filterColumns),
    ...searched,
  ];
  const where = sql.join(conditions, sql` and `);
  const list = { table: 'messages', columns: messageColumns, where };
  if (searched.length > 0) return selectMatchingPage(db, list, pageRange(query));
  if (scope.kind === 'all' && query.team_id === undefined)
    return selectNewestPage(db, list, pageRange(query), countedOfAll);
  const total = sql`select count(*) from messages where ${where}`;
  return selectCountedPage(db, { ...list, total }, pageRange(query));
}
