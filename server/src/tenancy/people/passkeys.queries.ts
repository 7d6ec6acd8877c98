import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

const challengeMinutes = sql.raw('5');

/** `personId` is null for a challenge to sign in. */
export async function insertChallenge(
  db: Database | Transaction,
  hash: Buffer,
  personId: string | null,
): Promise<void> {
  await sql`
    insert into passkey_challenges (challenge_hash, person_id, expires_at)
    values (${hash}, ${personId}, now() + interval '${challengeMinutes} minutes')`.execute(db);
}

/** Uses the challenge up. Returns false if it is unknown, used, late or for somebody else. */
export async function takeChallenge(db: Database, hash: Buffer, personId: string | null): Promise<boolean> {
  const { rows } = await sql`
    delete from passkey_challenges
    where challenge_hash = ${hash} and person_id is not distinct from ${personId}::uuid and expires_at > now()
    returning challenge_hash`.execute(db);
  return rows.length === 1;
}

export interface PasskeyRow {
  id: string;
  name: string;
  host: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** Newest first. */
export async function selectPasskeys(
  db: Database | Transaction,
  personId: string,
): Promise<(PasskeyRow & { credential_id: Buffer })[]> {
  const { rows } = await sql<PasskeyRow & { credential_id: Buffer }>`
    select id, name, host, created_at, last_used_at, credential_id from passkeys
    where person_id = ${personId} order by created_at desc, id desc`.execute(db);
  return rows;
}

export interface NewPasskey {
  id: string;
  personId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  host: string;
  name: string;
}

/** Returns undefined if somebody has the credential already. */
export async function insertPasskey(tx: Transaction, passkey: NewPasskey): Promise<PasskeyRow | undefined> {
  const { rows } = await sql<PasskeyRow>`
    insert into passkeys (id, person_id, credential_id, public_key, counter, host, name)
    values (${passkey.id}, ${passkey.personId}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.counter},
            ${passkey.host}, ${passkey.name})
    on conflict (credential_id) do nothing
    returning id, name, host, created_at, last_used_at`.execute(tx);
  return rows[0];
}

export interface Credential {
  id: string;
  person_id: string;
  public_key: Buffer;
  counter: number;
}

/** Two sign-ins with the same passkey wait for each other. */
export async function lockPasskey(
  tx: Transaction,
  credentialId: Buffer,
  host: string,
): Promise<Credential | undefined> {
  const { rows } = await sql<Credential>`
    select id, person_id, public_key, counter::float8 as counter from passkeys
    where credential_id = ${credentialId} and host = ${host} for update`.execute(tx);
  return rows[0];
}

export async function noteUse(tx: Transaction, id: string, counter: number): Promise<void> {
  await sql`update passkeys set counter = ${counter}, last_used_at = now() where id = ${id}`.execute(tx);
}

/** Returns whether there was one. */
export async function deletePasskeyRow(tx: Transaction, personId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from passkeys where person_id = ${personId} and id = ${id} returning id`.execute(tx);
  return rows.length === 1;
}

export async function deleteExpiredChallenges(db: Database): Promise<void> {
  await sql`delete from passkey_challenges where expires_at < now()`.execute(db);
}
