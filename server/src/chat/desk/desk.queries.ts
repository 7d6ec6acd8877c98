import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { nameOfKey } from '../../tenancy/api-keys/api-keys.sql.ts';
import { nameOfUser } from '../../tenancy/members/members.sql.ts';
import { nameOfPortal } from '../../tenancy/portal/portal.sql.ts';
import { hasTeam } from '../../tenancy/teams/teams.sql.ts';
import type { ListNotes, PutSavedReplies, SavedReplies } from './desk.schemas.ts';

export interface NoteRow {
  id: string;
  conversation_id: string;
  author_id: string;
  author_name: string;
  text: string;
  created_at: Date;
}

const columns = sql`n.id, n.conversation_id, n.author_id, n.author_name, n.text, n.created_at`;

export const selectNotes = (
  db: Database,
  conversationId: string,
  query: ListNotes,
): Promise<ListPage<NoteRow>> =>
  selectPage(
    db,
    {
      columns,
      from: sql`notes n where ${sql.join([sql`n.conversation_id = ${conversationId}`, ...isWithin('n.created_at', query)], sql` and `)}`,
      order: sql`n.created_at desc, n.id desc`,
      cursorColumns: { time: 'n.created_at', id: 'n.id' },
    },
    pageRange(query),
  );

/** Keeps the name of the author as it is now. */
export async function insertNote(
  tx: Transaction,
  note: { id: string; teamId: string; conversationId: string; authorId: string; text: string },
): Promise<NoteRow> {
  const { id, teamId, conversationId, authorId, text } = note;
  const { rows } = await sql<NoteRow>`
    insert into notes as n (id, team_id, conversation_id, author_id, author_name, text)
    values (${id}, ${teamId}, ${conversationId}, ${authorId}, ${nameOfAuthor(authorId)}, ${text})
    returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the insert returned no row');
  return row;
}

function nameOfAuthor(authorId: string): RawBuilder<string> {
  const [kind = '', callerId = ''] = authorId.split(':');
  const name =
    kind === 'user'
      ? nameOfUser(sql`${callerId}`)
      : kind === 'portal'
        ? nameOfPortal(sql`${callerId}`)
        : nameOfKey(sql`${authorId}`);
  return sql`coalesce((${name}), ${authorId})`;
}

/** Returns the team of the conversation and the name of the author, or undefined outside of the scope. */
export async function selectTyping(
  db: Database,
  scope: Scope,
  conversationId: string,
  authorId: string,
): Promise<{ team_id: string; author_name: string } | undefined> {
  const { rows } = await sql<{ team_id: string; author_name: string }>`
    select c.team_id, ${nameOfAuthor(authorId)} as author_name
    from conversations c where c.id = ${conversationId} and ${hasTeam('c.team_id')} and ${inScope(scope, 'c.team_id')}`.execute(
    db,
  );
  return rows[0];
}

interface SavedRepliesRow extends SavedReplies {
  updated_at: Date;
}

export async function selectSavedReplies(
  db: Database | Transaction,
  teamId: string,
): Promise<SavedRepliesRow | undefined> {
  const { rows } = await sql<SavedRepliesRow>`
    select replies, updated_at from saved_replies where team_id = ${teamId}`.execute(db);
  return rows[0];
}

/** Returns undefined if they changed after `expected`. */

export async function upsertSavedReplies(
  tx: Transaction,
  teamId: string,
  { replies, expected_updated_at: expected }: PutSavedReplies,
): Promise<SavedRepliesRow | undefined> {
  const { rows } = await sql<SavedRepliesRow>`
    insert into saved_replies as s (team_id, replies) values (${teamId}, ${JSON.stringify(replies)}::jsonb)
    on conflict (team_id) do update set replies = excluded.replies, updated_at = ${nextUpdate('s.updated_at')}
    ${expected === undefined ? sql`` : sql`where s.updated_at = ${expected}::timestamptz`}
    returning replies, updated_at`.execute(tx);
  return rows[0];
}
