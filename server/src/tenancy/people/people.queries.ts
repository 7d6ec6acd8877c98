import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { MembershipRow } from './sessions.queries.ts';

export interface PersonRow {
  id: string;
  email: string;
  password_hash: string | null;
}

/** Addresses compare without case. */
export const normalizeEmail = (email: string): string => email.toLowerCase();

/** Those with a password, the oldest first, and whether one of them is signed in from the address. */
export async function selectPeople(
  db: Database,
  email: string,
  address: string,
): Promise<(PersonRow & { is_known_here: boolean })[]> {
  const { rows } = await sql<PersonRow & { is_known_here: boolean }>`
    select p.id, p.email, p.password_hash,
           exists (select from sessions s where s.person_id = p.id and s.address = ${address}) as is_known_here
    from people p where p.email = ${email} and p.password_hash is not null order by p.created_at, p.id`.execute(
    db,
  );
  return rows;
}

export async function lockPerson(tx: Transaction, id: string): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    select id, email, password_hash from people where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Returns false if the person or the membership exists no more, or the user is another person. */
export async function insertPerson(
  tx: Transaction,
  { id, email, passwordHash }: { id: string; email: string; passwordHash: string | null },
  userId: string,
): Promise<boolean> {
  await sql`
    insert into people (id, email, password_hash, last_seen_at)
    values (${id}, ${email}, ${passwordHash}, now())`.execute(tx);
  const { rows } = await sql`
    insert into memberships (user_id, person_id) values (${userId}, ${id})
    on conflict (user_id) do nothing returning user_id`.execute(tx);
  return rows.length === 1;
}

export async function updatePassword(tx: Transaction, id: string, passwordHash: string): Promise<void> {
  await sql`update people set password_hash = ${passwordHash} where id = ${id}`.execute(tx);
}

export async function selectPersonOfUser(tx: Transaction, userId: string): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    select p.id, p.email, p.password_hash from memberships join people p on p.id = person_id
    where user_id = ${userId}`.execute(tx);
  return rows[0];
}

export interface UserRow extends MembershipRow {
  name: string;
  email: string;
  phone: string | null;
  created_at: Date;
  team_name: string | null;
}

const userColumns = sql`
  u.id as user_id, u.team_id, u.role, u.name, u.email, u.phone, u.created_at, t.name as team_name`;

/** In the order in which a request without a choice takes them. */
export async function selectUsersOf(db: Database | Transaction, personId: string): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    select ${userColumns}
    from memberships join users u on u.id = user_id left join teams t on t.id = u.team_id
    where person_id = ${personId} order by u.team_id is not null, u.created_at, u.id`.execute(db);
  return rows;
}

export async function selectUser(db: Database | Transaction, userId: string): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    select ${userColumns} from users u left join teams t on t.id = u.team_id where u.id = ${userId}`.execute(
    db,
  );
  return rows[0];
}

/** Changes that follow in the transaction are those of the user, for the audit log. */
export const auditAs = (tx: Transaction, userId: string): Promise<void> =>
  auditAsCaller(tx, `user:${userId}`);

export async function auditAsCaller(tx: Transaction, keyId: string): Promise<void> {
  await sql`
    select set_config('parley.audit',
      (current_setting('parley.audit')::jsonb || jsonb_build_object('key_id', ${keyId}::text))::text, true)
    where is_audited()`.execute(tx);
}

export async function anyOwnerIsActive(db: Database | Transaction): Promise<boolean> {
  const { rows } = await sql`
    select from users u join memberships m on m.user_id = u.id where u.team_id is null and u.role = 'owner' limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** The owner of the deployment who was there last, with the address if it is given. */
export async function selectOwner(tx: Transaction, email: string | null): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u left join memberships m on m.user_id = u.id left join people p on p.id = m.person_id
    where u.team_id is null and u.role = 'owner' and (${email}::text is null or lower(u.email) = ${email})
    order by p.last_seen_at desc nulls last, u.created_at, u.id limit 1`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Processes that start at once, and two people with the same link, wait for each other. */
export async function lockSetUp(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('parley set-up', 0))`.execute(tx);
}
