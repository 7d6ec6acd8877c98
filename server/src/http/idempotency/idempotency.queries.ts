import { sql } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';

export interface ClaimedKey {
  apiKeyId: string;
  method: string;
  path: string;
  key: string;
  fingerprint: Buffer;
  /** Fences the completion. Each claim of the key has a new one. */
  claim: string;
  claimSeconds: number;
}

export interface SealedResult {
  status: number;
  sealed: Buffer;
}

const keptFor = sql`interval '24 hours'`;

/** True if the existing row has expired, or a dead process left it without a result. */
const isFree = sql`(
  idempotency_keys.created_at < now() - ${keptFor}
  or (idempotency_keys.status is null and idempotency_keys.claimed_until < now()
      and idempotency_keys.fingerprint = excluded.fingerprint))`;

/** Returns false without waiting while another transaction holds the same key. */
export async function lockKey(tx: Transaction, key: ClaimedKey): Promise<boolean> {
  const name = [key.apiKeyId, key.method, key.path, key.key].join('\n');
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/** Claims a new, expired or abandoned key. Returns false for any other. */
export async function claimKey(tx: Transaction, key: ClaimedKey): Promise<boolean> {
  const { rows } = await sql<{ claim: string }>`
    insert into idempotency_keys (api_key_id, method, path, key, fingerprint, claim, claimed_until)
    values (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key}, ${key.fingerprint}, ${key.claim},
            now() + make_interval(secs => ${key.claimSeconds}))
    on conflict (api_key_id, method, path, key) do update
      set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
          status = null, body_sealed = null, created_at = now()
      where ${isFree}
    returning claim`.execute(tx);
  return rows.length === 1;
}

export async function renewClaim(tx: Transaction | Database, key: ClaimedKey): Promise<boolean> {
  const { rows } = await sql`
    update idempotency_keys set claimed_until = now() + make_interval(secs => ${key.claimSeconds})
    where (api_key_id, method, path, key) = (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key})
      and claim = ${key.claim}
    returning key`.execute(tx);
  return rows.length === 1;
}

export async function selectKey(tx: Transaction, key: ClaimedKey) {
  const { rows } = await sql<{
    fingerprint: Buffer;
    status: number | null;
    body_sealed: Buffer | null;
    in_flight: boolean;
  }>`
    select fingerprint, status, body_sealed, claimed_until > now() as in_flight from idempotency_keys
    where (api_key_id, method, path, key) = (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key})`.execute(
    tx,
  );
  return rows[0];
}

export async function completeKey(tx: Transaction, key: ClaimedKey, result: SealedResult): Promise<boolean> {
  const { rows } = await sql`
    update idempotency_keys
    set status = ${result.status}, body_sealed = ${result.sealed}, claimed_until = '-infinity'
    where (api_key_id, method, path, key) = (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key})
      and claim = ${key.claim}
    returning key`.execute(tx);
  return rows.length === 1;
}

export async function releaseKey(tx: Transaction | Database, key: ClaimedKey): Promise<void> {
  await sql`
    delete from idempotency_keys
    where (api_key_id, method, path, key) = (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key})
      and claim = ${key.claim}`.execute(tx);
}

export async function insertRefusal(db: Database, key: ClaimedKey, result: SealedResult): Promise<void> {
  await sql`
    insert into idempotency_keys (api_key_id, method, path, key, fingerprint, claim, claimed_until, status, body_sealed)
    values (${key.apiKeyId}, ${key.method}, ${key.path}, ${key.key}, ${key.fingerprint}, ${key.claim}, '-infinity',
            ${result.status}, ${result.sealed})
    on conflict (api_key_id, method, path, key) do update
      set fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
          status = excluded.status, body_sealed = excluded.body_sealed, created_at = now()
      where ${isFree}`.execute(db);
}

export async function deleteOldKeys(db: Database, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - ${keptFor} and claimed_until < now() limit ${limit}
      for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

export interface StoredRow {
  at: string;
  api_key_id: string;
  method: string;
  path: string;
  key: string;
  body_sealed: Buffer;
}

/** Stored results after the address `at`, in order of their addresses. */
export async function selectStoredResults(
  tx: Transaction,
  after: string,
  limit: number,
): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select ctid::text as at, api_key_id, method, path, key, body_sealed from idempotency_keys
    where ctid > ${after}::tid and body_sealed is not null order by ctid limit ${limit}`.execute(tx);
  return rows;
}

/** A retry is refused as in flight until the key expires, so that it does not run the operation again. */
export async function forgetResults(tx: Transaction, addresses: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys set status = null, body_sealed = null, claimed_until = created_at + ${keptFor}
    where ctid = any(${addresses}::tid[])`.execute(tx);
}
