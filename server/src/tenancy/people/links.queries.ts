import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { hashToken, newToken } from './session-cookie.ts';

/** `setup` creates the first owner, `invitation` gives a user a sign-in, `sign_in` signs in. */
export type LinkKind = 'setup' | 'invitation' | 'sign_in';

export interface NewLink {
  token: string;
  expiresAt: Date;
}

/** Replaces the earlier link of the kind for the user. */
export async function createLink(
  tx: Transaction,
  { kind, userId, hours }: { kind: LinkKind; userId: string | null; hours: number },
): Promise<NewLink> {
  const token = newToken();
  await sql`
    delete from sign_in_links where kind = ${kind} and user_id is not distinct from ${userId}::uuid`.execute(
    tx,
  );
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sign_in_links (token_hash, kind, user_id, expires_at)
    values (${hashToken(token)}, ${kind}, ${userId}, now() + make_interval(hours => ${hours}))
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the link was not stored');
  return { token, expiresAt: row.expires_at };
}

/** Uses the link up. Throws `link_used`. */
export async function takeLink(tx: Transaction, kind: LinkKind, token: string): Promise<string | null> {
  const { rows } = await sql<{ user_id: string | null }>`
    delete from sign_in_links where token_hash = ${hashToken(token)} and kind = ${kind} and expires_at > now()
    returning user_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw linkUsed();
  return row.user_id;
}

export async function selectInvitation(
  db: Database,
  token: string,
): Promise<{ user_id: string; expires_at: Date }> {
  const { rows } = await sql<{ user_id: string; expires_at: Date }>`
    select user_id, expires_at from sign_in_links
    where token_hash = ${hashToken(token)} and kind = 'invitation' and expires_at > now()`.execute(db);
  const [row] = rows;
  if (row === undefined) throw linkUsed();
  return row;
}

export async function isLinkValid(tx: Transaction, kind: LinkKind, token: string): Promise<boolean> {
  const { rows } = await sql`
    select from sign_in_links where token_hash = ${hashToken(token)} and kind = ${kind} and expires_at > now()`.execute(
    tx,
  );
  return rows.length === 1;
}

export const linkUsed = () =>
  badRequest(
    'link_used',
    'The link is unknown, was used, has expired, or a newer one replaced it; ask for a new one',
  );
