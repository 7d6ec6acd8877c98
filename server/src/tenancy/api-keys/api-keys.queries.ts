import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { Role } from '../roles/roles.ts';
import { teamLockedShared } from '../teams/teams.sql.ts';

export interface ApiKeyRow {
  key_id: string;
  name: string;
  secret_hash: Buffer;
  /** The encryption key of the hash. Null for hashes of version 0.1.0. */
  secret_key_id: string | null;
  scope: 'global' | 'team';
  team_id: string | null;
  /** Null: all rights within the scope. */
  role: Role | null;
  is_active: boolean;
  /** Increases when the key is deactivated. */
  token_generation: number;
  expires_at: Date | null;
  last_used: Date | null;
  created_at: Date;
}

export interface SecretHash {
  hash: Buffer;
  keyId: string;
}

export interface NewApiKey {
  keyId: string;
  name: string;
  secret: SecretHash;
  teamId: string | null;
  role: Role | null;
  expiresAt: Date | null;
}

// The role is in a table of its own, because version 0.2.0 reads all columns of `api_keys`.
const keyColumns = sql.raw(`
  key_id, name, secret_hash, secret_key_id, scope, team_id, is_active, token_generation, expires_at, last_used, created_at,
  (select r.role from api_key_roles r where r.key_id = api_keys.key_id) as role`);

/** Locks the team against deletion. Returns null if it does not exist. */
export async function insertApiKey(tx: Transaction, key: NewApiKey): Promise<{ created_at: Date } | null> {
  const columns = sql`key_id, name, secret_hash, secret_key_id, expires_at, scope, team_id`;
  const values = sql`
    ${key.keyId}, ${key.name}, ${key.secret.hash}::bytea, ${key.secret.keyId}, ${key.expiresAt}::timestamptz`;
  const { rows } = await (key.teamId === null
    ? sql<{ created_at: Date }>`
        insert into api_keys (${columns}) values (${values}, 'global', null) returning created_at`
    : sql<{ created_at: Date }>`
        insert into api_keys (${columns})
        select ${values}, 'team', id from ${teamLockedShared({ kind: 'all' }, key.teamId)}
        returning created_at`
  ).execute(tx);
  if (rows[0] !== undefined && key.role !== null) {
    await sql`insert into api_key_roles (key_id, role) values (${key.keyId}, ${key.role})`.execute(tx);
  }
  return rows[0] ?? null;
}

export async function selectApiKeys(db: Database): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    select ${keyColumns} from api_keys order by created_at desc, key_id desc`.execute(db);
  return rows;
}

const apiKeyById = prepare<{ keyId: string }, ApiKeyRow>(
  (value) => sql`select ${keyColumns} from api_keys where key_id = ${value('keyId')}`,
);

export async function selectApiKey(
  db: Database | Transaction,
  keyId: string,
): Promise<ApiKeyRow | undefined> {
  // PostgreSQL rejects a comparison with a NUL, which no stored text contains.
  if (keyId.includes('\0')) return undefined;
  const [row] = await apiKeyById(db, { keyId });
  return row;
}

/** Locks in a fixed order to prevent deadlocks. Returns false if the actor's own key is no longer active. */
export async function lockApiKeys(tx: Transaction, actorKeyId: string, keyId: string): Promise<boolean> {
  const { rows } = await sql<{ key_id: string; is_active: boolean }>`
    select key_id, is_active from api_keys where key_id in (${actorKeyId}, ${keyId})
    order by key_id for update`.execute(tx);
  return rows.some((row) => row.key_id === actorKeyId && row.is_active);
}

export async function updateApiKeyRow(
  tx: Transaction,
  keyId: string,
  changes: { name?: string; is_active?: boolean },
): Promise<ApiKeyRow | undefined> {
  const { rows } = await sql<ApiKeyRow>`
    update api_keys
    set name = coalesce(${changes.name ?? null}::text, name),
        is_active = coalesce(${changes.is_active ?? null}::boolean, is_active),
        token_generation = token_generation + (is_active and ${changes.is_active ?? null}::boolean is false)::int
    where key_id = ${keyId}
    returning ${keyColumns}`.execute(tx);
  return rows[0];
}

/** Never extends the life of a key. Returns when it expires, or null if it does not exist. */
export async function expireApiKey(tx: Transaction, keyId: string, hours: number): Promise<Date | null> {
  const { rows } = await sql<{ expires_at: Date }>`
    update api_keys set expires_at = least(expires_at, now() + ${hours}::int * interval '1 hour')
    where key_id = ${keyId} returning expires_at`.execute(tx);
  return rows[0]?.expires_at ?? null;
}

/** Skips a locked key, which the next exchange updates. */
export async function updateSecretHash(
  db: Database,
  { key_id, secret_hash }: Pick<ApiKeyRow, 'key_id' | 'secret_hash'>,
  secret: SecretHash,
): Promise<void> {
  await sql`
    update api_keys set secret_hash = ${secret.hash}, secret_key_id = ${secret.keyId}
    where key_id = (select key_id from api_keys where key_id = ${key_id} and secret_hash = ${secret_hash}
                    for no key update skip locked)`.execute(db);
}

export async function deleteApiKeyRow(tx: Transaction, keyId: string): Promise<boolean> {
  const { rows } = await sql`delete from api_keys where key_id = ${keyId} returning key_id`.execute(tx);
  return rows.length === 1;
}

export async function lockFirstKey(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('parley first api key', 0))`.execute(tx);
}

export async function anyApiKeyExists(tx: Transaction): Promise<boolean> {
  const { rows } = await sql`select from api_keys limit 1`.execute(tx);
  return rows.length > 0;
}

/** Skips locked keys and returns their ids, so that two writers never wait for each other. */
export async function updateLastUsed(db: Database, uses: ReadonlyMap<string, Date>): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    with used as (
      select * from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (key_id, at)
    ), free as (
      select key_id from api_keys where key_id in (select key_id from used) for no key update skip locked
    ), updated as (
      update api_keys set last_used = used.at from used join free using (key_id)
      where api_keys.key_id = used.key_id and (last_used is null or last_used < used.at)
    )
    select key_id from api_keys join used using (key_id) where key_id not in (select key_id from free)`.execute(
    db,
  );
  return rows.map((row) => row.key_id);
}
