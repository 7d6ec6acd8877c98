import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { signsIn } from './mails.queries.ts';

export interface NewProof {
  id: string;
  email: string;
  secretHash: Buffer;
  expiresAt: Date;
}

export async function insertProof(tx: Transaction, proof: NewProof): Promise<void> {
  await sql`
    insert into address_proofs (id, email, secret_hash, expires_at)
    values (${proof.id}, ${proof.email}, ${proof.secretHash}, ${proof.expiresAt})`.execute(tx);
}

const maxAttempts = sql.raw('5');

/** Counts an attempt and returns the hash to compare, or nothing after the last one. */
export async function countAttempt(db: Database, id: string, email: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ secret_hash: Buffer }>`
    update address_proofs set attempts = attempts + 1
    where id = ${id} and email = ${email} and attempts < ${maxAttempts} and expires_at > now()
    returning secret_hash`.execute(db);
  return rows[0]?.secret_hash;
}

/** Uses the proof up. Returns the proved address, or nothing if there is no such proof any more. */
export async function takeProof(tx: Transaction, secretHash: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    delete from address_proofs where secret_hash = ${secretHash} and expires_at > now() returning email`.execute(
    tx,
  );
  return rows[0]?.email;
}

export interface AddressUser {
  user_id: string;
  /** Null for an invited user. */
  person_id: string | null;
  /** A password or a passkey, which needs no proof of the address. */
  has_own_means: boolean;
  has_second_factor: boolean;
  is_proved: boolean;
}

/** The users of the address who can sign in, those of the oldest person first. Two proofs of the address wait for each other. */
export async function lockUsersOfAddress(tx: Transaction, email: string): Promise<AddressUser[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended('parley address ' || ${email}::text, 0))`.execute(
    tx,
  );
  await sql`select from users where lower(email) = ${email} order by id for no key update`.execute(tx);
  const { rows } = await sql<AddressUser>`
    select u.id as user_id, p.id as person_id, p.password_hash is not null
             or exists (select from passkeys k where k.person_id = p.id) as has_own_means,
           p.proved_at is not null as is_proved, 
           exists (select from second_factors f where f.person_id = p.id and f.confirmed_at is not null) as has_second_factor
    from users u left join memberships m on m.user_id = u.id left join people p on p.id = m.person_id
    where lower(u.email) = ${email} and ${signsIn}
    order by p.created_at nulls last, p.id, u.created_at, u.id`.execute(tx);
  return rows;
}

/** Call it before the users get memberships: an acceptance locks the invitation first, too. */
export async function endInvitations(tx: Transaction, userIds: string[]): Promise<void> {
  await sql`
    delete from sign_in_links where kind = 'invitation' and user_id = any(${userIds}::uuid[])`.execute(tx);
}

/** Makes the users memberships of the person. Other people of these users end, with their sessions. */
export async function moveUsers(tx: Transaction, personId: string, userIds: string[]): Promise<void> {
  await sql`
    with former as (select distinct person_id from memberships where user_id = any(${userIds}::uuid[]))
    select from people where id in (select person_id from former) or id = ${personId} order by id for update`.execute(
    tx,
  );
  const { rows } = await sql<{ person_id: string }>`
    select distinct person_id from memberships
    where user_id = any(${userIds}::uuid[]) and person_id <> ${personId}`.execute(tx);
  await sql`
    insert into memberships (user_id, person_id) select id, ${personId}::uuid from unnest(${userIds}::uuid[]) id
    on conflict (user_id) do update set person_id = excluded.person_id
    where memberships.person_id <> excluded.person_id`.execute(tx);
  await sql`
    delete from people p where p.id = any(${rows.map((row) => row.person_id)}::uuid[])
      and not exists (select from memberships m where m.person_id = p.id)`.execute(tx);
}

/** Everything that signs the person in is from somebody who reads mail to the address. */
export async function markProved(tx: Transaction, personId: string): Promise<void> {
  await sql`update people set proved_at = now() where id = ${personId} and proved_at is null`.execute(tx);
}
