import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';

/** Objects outside the database that need a separate deletion, and the meaning of their `ref`. */
export type ExternalObjectKind =
  | 'assistant' // the provider's ref
  | 'knowledge' // the provider's ref
  | 'document' // the provider's ref
  | 'tagged' // id of a bot or document: every object with that tag at the provider
  | 'file' // the key in the file store
  | 'session' // the device's id: deleted by the pool
  | 'team_rows'; // the team's id: its messages, conversations and answers

export interface ExternalObject {
  teamId: string;
  kind: ExternalObjectKind;
  ref: string;
}

/** True if an object at the assistant provider is not deleted yet. */
export const existsProviderDeletion = sql<SqlBool>`exists (
  select from tombstones where kind in ('assistant', 'knowledge', 'document', 'tagged'))`;

/** Condition on `listed`, a relation with the columns `kind` and `ref`. */
export const deletesListedObject = sql<SqlBool>`exists (
  select from tombstones where tombstones.ref = listed.ref and tombstones.kind = listed.kind)`;

/** Condition on `listed`, a relation with the column `key`. */
export const deletesListedFile = sql<SqlBool>`exists (
  select from tombstones where tombstones.ref = listed.key and tombstones.kind = 'file')`;

/** True while objects or rows of the team, which may be deleted itself, are not deleted yet. */
export async function hasDeletions(db: Database, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from tombstones where team_id = ${teamId} limit 1`.execute(db);
  return rows.length === 1;
}

/** `deviceId` is a value or an expression. */
export const isUnlinkScheduled = (deviceId: string | RawBuilder<unknown>) =>
  sql<SqlBool>`exists (select from tombstones where kind = 'session' and ref = ${deviceId})`;

/** A deletion that this process may try until its claim ends. */
interface Claimed {
  id: string;
  ref: string;
  /** Includes this attempt. Fences writes about it. */
  attempts: number;
}

/** The unlink of a phone, which the pool makes. `ref` is the id of the device. */
export type PendingUnlink = Claimed;

export interface ClaimedDeletion extends Claimed {
  kind: Exclude<ExternalObjectKind, 'session'>;
}

interface ClaimOptions {
  limit: number;
  leaseSeconds: number;
}

/** `next_attempt_at` rounds to milliseconds, so a due row may be half a millisecond ahead. */
const claimed = (condition: RawBuilder<SqlBool>, { limit, leaseSeconds }: ClaimOptions) => sql`
  update tombstones set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
  where id in (
    select id from tombstones where next_attempt_at <= now() + interval '1 millisecond' and ${condition}
    order by next_attempt_at limit ${limit} for update skip locked
  )
  returning id, kind, ref, attempts`;

export async function claimPendingUnlinks(db: Database, options: ClaimOptions): Promise<PendingUnlink[]> {
  const { rows } = await sql<PendingUnlink>`${claimed(sql`kind = 'session'`, options)}`.execute(db);
  return rows;
}

export async function claimDeletions(db: Database, options: ClaimOptions): Promise<ClaimedDeletion[]> {
  const { rows } = await sql<ClaimedDeletion>`${claimed(sql`kind <> 'session'`, options)}`.execute(db);
  return rows;
}

export async function postponeDeletion(
  db: Database,
  { id, attempts }: Claimed,
  options: { seconds: number; error: string | null },
): Promise<void> {
  await sql`
    update tombstones
    set next_attempt_at = now() + make_interval(secs => ${options.seconds}), last_error = ${options.error}
    where id = ${id} and attempts = ${attempts}`.execute(db);
}

/** Deletes nothing if the claim is lost. */
export const completedDeletion = ({ id, attempts }: Claimed) =>
  sql`delete from tombstones where id = ${id} and attempts = ${attempts} returning ref`;

/** Locks the claim for a dependent write. Selects nothing if the claim is lost. */
export const lockedUnlink = ({ id, attempts }: PendingUnlink) =>
  sql`select id from tombstones where id = ${id} and attempts = ${attempts} for share`;

export async function completeDeletion(db: Database, deletion: ClaimedDeletion): Promise<void> {
  await completedDeletion(deletion).execute(db);
}
