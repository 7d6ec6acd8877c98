import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { PortalPage } from '../roles/portal-pages.ts';
import type { Role } from '../roles/roles.ts';
import type { PortalRole } from './portal.schemas.ts';

export interface NewPortalLink {
  id: string;
  tokenHash: Buffer;
  teamId: string;
  role: PortalRole;
  pages: readonly PortalPage[];
  creatorId: string;
  seconds: number;
}

export async function insertPortalLink(tx: Transaction, link: NewPortalLink): Promise<{ expires_at: Date }> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into portal_links (id, token_hash, team_id, role, pages, creator_id, creator_generation, expires_at)
    values (${link.id}, ${link.tokenHash}, ${link.teamId}, ${link.role}, ${link.pages}::text[], ${link.creatorId},
            coalesce((select k.token_generation from api_keys k where k.key_id = ${link.creatorId}), 0),
            now() + make_interval(secs => ${link.seconds}))
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the link was not stored');
  return row;
}

export async function selectUsableLink(tx: Transaction, tokenHash: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from portal_links where token_hash = ${tokenHash} and used_at is null and expires_at > now()`.execute(
    tx,
  );
  return rows[0]?.id;
}

/** Uses the link up. Returns undefined if somebody else did. */
export async function beginPortal(
  tx: Transaction,
  id: string,
  session: { hash: Buffer; minutes: number },
): Promise<{ expires_at: Date } | undefined> {
  const { rows } = await sql<{ expires_at: Date }>`
    update portal_links
    set used_at = now(), session_hash = ${session.hash},
        session_expires_at = now() + make_interval(mins => ${session.minutes})
    where id = ${id} and used_at is null
    returning session_expires_at as expires_at`.execute(tx);
  return rows[0];
}

export interface PortalRow {
  id: string;
  team_id: string;
  team_name: string;
  role: PortalRole;
  pages: PortalPage[];
  creator_team_id: string | null;
  creator_role: Role | null;
}

/** Only while the creator can still sign in, or is a key that was active all the time. */
const bySessionHash = prepare<{ sessionHash: Buffer }, PortalRow>(
  (value) => sql`
    select p.id, p.team_id, t.name as team_name, p.role, p.pages, c.team_id as creator_team_id, c.role as creator_role
    from portal_links p join teams t on t.id = p.team_id cross join lateral (
      select k.team_id, r.role from api_keys k left join api_key_roles r on r.key_id = k.key_id
      where k.key_id = p.creator_id and k.is_active and k.token_generation = p.creator_generation
        and (k.expires_at is null or k.expires_at > now())
      union all
      select u.team_id, u.role from users u join memberships m on m.user_id = u.id
      where p.creator_id like 'user:%' and u.id::text = substr(p.creator_id, 6)
    ) c
    where p.session_hash = ${value('sessionHash')} and p.session_expires_at > now()`,
);

export async function selectPortal(
  db: Database | Transaction,
  sessionHash: Buffer,
): Promise<PortalRow | undefined> {
  const [row] = await bySessionHash(db, { sessionHash });
  return row;
}

export async function deleteExpiredPortals(db: Database): Promise<void> {
  await sql`delete from portal_links where coalesce(session_expires_at, expires_at) < now()`.execute(db);
}
