import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

export interface SecondFactorRow {
  secret_sealed: Buffer;
  is_confirmed: boolean;
  is_late: boolean;
  last_step: number;
}

/** A second factor waits this long for the code that confirms it. */
const confirmableMinutes = sql.raw('15');

/** Two sign-ins with the same code wait for each other. */
export async function lockSecondFactor(
  tx: Transaction,
  personId: string,
): Promise<SecondFactorRow | undefined> {
  const { rows } = await sql<SecondFactorRow>`
    select secret_sealed, confirmed_at is not null as is_confirmed, last_step::float8 as last_step,
           created_at < now() - interval '${confirmableMinutes} minutes' as is_late
    from second_factors where person_id = ${personId} for update`.execute(tx);
  return rows[0];
}

/** Replaces one that was not confirmed. Returns false if there is a confirmed one. */
export async function saveSecret(tx: Transaction, personId: string, secretSealed: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into second_factors (person_id, secret_sealed) values (${personId}, ${secretSealed})
    on conflict (person_id) do update set secret_sealed = excluded.secret_sealed, created_at = now()
    where second_factors.confirmed_at is null returning person_id`.execute(tx);
  return rows.length === 1;
}

export async function saveStep(tx: Transaction, personId: string, step: number): Promise<void> {
  await sql`update second_factors set last_step = ${step} where person_id = ${personId}`.execute(tx);
}

export async function confirmSecret(
  tx: Transaction,
  personId: string,
  { step, hashes }: { step: number; hashes: Buffer[] },
): Promise<void> {
  await sql`
    update second_factors set confirmed_at = now(), last_step = ${step}, recovery_codes_hash = ${hashes}::bytea[]
    where person_id = ${personId}`.execute(tx);
}

/** Returns false if no unused code has the hash. */
export async function takeRecoveryCode(tx: Transaction, personId: string, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update second_factors set recovery_codes_hash = array_remove(recovery_codes_hash, ${hash}::bytea)
    where person_id = ${personId} and ${hash}::bytea = any(recovery_codes_hash) returning person_id`.execute(
    tx,
  );
  return rows.length === 1;
}

export async function deleteSecondFactor(tx: Transaction, personId: string): Promise<void> {
  await sql`delete from second_factors where person_id = ${personId}`.execute(tx);
}
