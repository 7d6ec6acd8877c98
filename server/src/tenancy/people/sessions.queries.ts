import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { Role } from '../roles/roles.ts';

const idleHours = sql.raw('12');
const maxDays = sql.raw('30');
const freshMinutes = sql.raw('10');

const isAlive = sql`
  s.last_seen_at > now() - interval '${idleHours} hours' and s.created_at > now() - interval '${maxDays} days'`;

export interface MembershipRow {
  user_id: string;
  team_id: string | null;
  role: Role;
}

export interface SignedInRow extends MembershipRow {
  id: string;
  person_id: string;
}

/** Notes at most once a minute that the person was here. The partner's staff is first, then the oldest membership. */
const byTokenHash = prepare<{ tokenHash: Buffer }, SignedInRow>(
  (value) => sql`
    with session as (
      select s.id, s.person_id, s.last_seen_at < now() - interval '1 minute' as is_old
      from sessions s where s.token_hash = ${value('tokenHash')} and ${isAlive}
    ), seen as (
      update sessions set last_seen_at = now() where id = (select id from session where is_old)
    ), seen_person as (
      update people set last_seen_at = now() where id = (select person_id from session where is_old)
    )
    select session.id, person_id, user_id, u.team_id, u.role
    from session join memberships using (person_id) join users u on u.id = user_id
    order by u.team_id is not null, u.created_at, u.id`,
);

/** Returns a row for each membership of the person, or none. */
export const selectSignedIn = (db: Database, tokenHash: Buffer): Promise<SignedInRow[]> =>
  byTokenHash(db, { tokenHash });

export interface SessionRow {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  address: string;
  user_agent: string | null;
  settable: boolean;
  /** The person has signed in within the last 10 minutes. */
  is_fresh: boolean;
  has_password: boolean;
  has_second_factor: boolean;
  recovery_codes: number;
}

/** Newest first. */
export async function selectSessions(db: Database | Transaction, personId: string): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select s.id, s.created_at, s.last_seen_at, s.address, s.user_agent,
           least(s.last_seen_at + interval '${idleHours} hours', s.created_at + interval '${maxDays} days') as expires_at,
           coalesce(s.password_settable_until > now(), false) as settable,
           s.created_at > now() - interval '${freshMinutes} minutes' as is_fresh,
           p.password_hash is not null as has_password,
           f.person_id is not null as has_second_factor, coalesce(cardinality(f.recovery_codes_hash), 0) as recovery_codes
    from sessions s join people p on p.id = s.person_id
      left join second_factors f on f.person_id = p.id and f.confirmed_at is not null
    where s.person_id = ${personId} and ${isAlive} order by s.created_at desc, s.id desc`.execute(db);
  return rows;
}

export interface NewSession {
  id: string;
  tokenHash: Buffer;
  personId: string;
  address: string;
  userAgent: string | null;
  settableMinutes: number;
}

const maxSessions = 50;

/** Ends the session that the browser had before, and the oldest ones over the limit. */
export async function insertSession(
  tx: Transaction,
  session: NewSession,
  before: Buffer | null,
): Promise<void> {
  if (before !== null) await sql`delete from sessions where token_hash = ${before}`.execute(tx);
  await sql`
    insert into sessions (id, token_hash, person_id, address, user_agent, password_settable_until)
    values (${session.id}, ${session.tokenHash}, ${session.personId}, ${session.address}, ${session.userAgent},
            now() + make_interval(mins => nullif(${session.settableMinutes}::int, 0)))`.execute(tx);
  await sql`
    delete from sessions where id in (
      select id from sessions where person_id = ${session.personId} order by created_at desc, id desc offset ${maxSessions})`.execute(
    tx,
  );
}

/** Returns whether there was one. */
export async function deleteSession(tx: Transaction, personId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from sessions where person_id = ${personId} and id = ${id} returning id`.execute(tx);
  return rows.length === 1;
}

/** `kept` stays. */
export async function deleteSessions(
  tx: Transaction,
  personId: string,
  kept: string | null = null,
): Promise<void> {
  await sql`delete from sessions where person_id = ${personId} and id is distinct from ${kept}::uuid`.execute(
    tx,
  );
}

/** Ends the sessions of the person that is the user. Returns the person's id. */
export async function deleteSessionsOfUser(tx: Transaction, userId: string): Promise<string | null> {
  const { rows } = await sql<{ person_id: string }>`
    with person as (select person_id from memberships where user_id = ${userId}), ended as (
      delete from sessions where person_id = (select person_id from person)
    )
    select person_id from person`.execute(tx);
  return rows[0]?.person_id ?? null;
}

/** Sessions and links that nobody can use any more. */
export async function deleteExpired(db: Database): Promise<void> {
  await sql`delete from sessions s where not (${isAlive})`.execute(db);
  await sql`delete from sign_in_links where expires_at < now()`.execute(db);
}
