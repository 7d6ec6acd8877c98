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
  api_key_id: string;
  method: string;
  path: string;
  key: string;
  claim: string;
  body_sealed: Buffer;
}

/** Longer than the longest operation takes. */
const recent = sql`interval '2 minutes'`;

/** Returns stored results page by page. `recent` selects requests that began after two minutes before the transaction. */
export async function* readStoredResults(
  tx: Transaction,
  which: 'all' | 'recent',
): AsyncGenerator<StoredRow[]> {
  await sql`
    declare stored_results no scroll cursor for
    select api_key_id, method, path, key, claim, body_sealed from idempotency_keys
    where body_sealed is not null and ${which === 'all' ? sql`true` : sql`created_at > now() - ${recent}`}`.execute(
    tx,
  );
  for (;;) {
    const { rows } = await sql<StoredRow>`fetch 500 from stored_results`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close stored_results`.execute(tx);
}

/** Keeps the keys, with a status and without a result, so that a retry does not run the operation again. */
export async function forgetResults(tx: Transaction, results: readonly StoredRow[]): Promise<void> {
  await sql`
    update idempotency_keys k set status = 400, body_sealed = null, fingerprint = '', claimed_until = '-infinity'
    from unnest(
      ${results.map((row) => row.api_key_id)}::text[], ${results.map(({ method }) => method)}::text[],
      ${results.map(({ path }) => path)}::text[], ${results.map(({ key }) => key)}::text[],
      ${results.map(({ claim }) => claim)}::uuid[]) as found (api_key_id, method, path, key, claim)
    where (k.api_key_id, k.method, k.path, k.key) = (found.api_key_id, found.method, found.path, found.key)
      and k.claim = found.claim`.execute(tx);
}
