import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ContactOf } from '../../platform/database/bulk-rows.ts';
import { deleteRowsOfTeam } from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope } from '../../platform/database/scopes.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';

/** What an erasure keeps of a contact who opted out. The rotation of the encryption key does not change it. */
export const hashContact = (keyedHash: KeyedHash, contact: string): string =>
  `hash:${keyedHash('consent', contact).toString('hex')}`;

/** Whether a contact wants no active messages of the team. The arguments are expressions; `contacts` are forms of one contact. */
export const isOptedOut = (
  teamId: RawBuilder<unknown>,
  ...contacts: RawBuilder<unknown>[]
): RawBuilder<SqlBool> => sql<SqlBool>`exists (
  select from consents decided
  where decided.team_id = ${teamId} and decided.contact in (${sql.join(contacts)})
    and decided.kind = 'active_messages' and decided.state = 'out')`;

/** Whether the contact of a conversation undid its opt-out. Then the word for it needs a confirmation. */
export const hasOptedIn = (conversations: string): RawBuilder<SqlBool> => sql<SqlBool>`exists (
  select from consents decided
  where decided.team_id = ${sql.ref(`${conversations}.team_id`)}
    and decided.contact = ${sql.ref(`${conversations}.contact_number`)}
    and decided.kind = 'active_messages' and decided.state = 'in' and decided.source = 'contact')`;

export const deleteConsentsOfTeam = deleteRowsOfTeam('consents');

/** A contact who turned out to be another one keeps the decisions of both. An opt-out wins. */
export async function copyConsents(
  tx: Transaction,
  teamId: string,
  from: string,
  into: string,
): Promise<void> {
  await sql`
    insert into consents as c (team_id, contact, kind, state, source, proof, decided_at)
    select team_id, ${into}, kind, state, source, proof, decided_at from consents
    where team_id = ${teamId} and contact = ${from}
    on conflict (team_id, contact, kind) do update
      set state = excluded.state, source = excluded.source, proof = excluded.proof, decided_at = excluded.decided_at
      where c.state <> 'out' and (excluded.state = 'out' or excluded.decided_at > c.decided_at)`.execute(tx);
}

/** Keeps opt-outs as hashes of all forms of the contact, in whichever form the contact returns. */
export async function eraseConsents(
  tx: Transaction,
  { scope, forms }: ContactOf,
  keyedHash: KeyedHash,
): Promise<void> {
  const hashes = forms.map((form) => hashContact(keyedHash, form));
  await sql`
    with erased as (
      delete from consents where contact = any(${forms}::text[]) and ${inScope(scope, 'team_id')}
      returning team_id, kind, state, source, decided_at
    ), opted_out as (
      select team_id, kind, min(source) filter (where source = 'contact') as by_contact, min(source) as source,
             max(decided_at) as decided_at
      from erased where state = 'out' group by team_id, kind
    )
    insert into consents (team_id, contact, kind, state, source, decided_at)
    select team_id, hash, kind, 'out', coalesce(by_contact, source), decided_at
    from opted_out cross join unnest(${hashes}::text[]) as hash
    on conflict (team_id, contact, kind) do update
      set state = 'out', source = excluded.source, decided_at = excluded.decided_at`.execute(tx);
}

interface ExportedConsent {
  team_id: string;
  contact: string;
  kind: string;
  state: string;
  source: string;
  proof: string | null;
  decided_at: Date;
}

export async function selectConsentsOfContact(
  tx: Transaction,
  { scope, forms }: ContactOf,
): Promise<ExportedConsent[]> {
  const { rows } = await sql<ExportedConsent>`
    select team_id, contact, kind, state, source, proof, decided_at from consents
    where contact = any(${forms}::text[]) and ${inScope(scope, 'team_id')} order by team_id, contact`.execute(
    tx,
  );
  return rows;
}

/** A contact counts once, whatever its numbers and ids, except that an erased one counts once for each of them. */
export async function countOptedOut(db: Database, teamId: string): Promise<number> {
  const { rows } = await sql<{ contacts: number }>`
    select count(*)::int as contacts from consents c
    where c.team_id = ${teamId} and c.kind = 'active_messages' and c.state = 'out' and not exists (
      select from contact_addresses a
      join consents main on main.team_id = a.team_id and main.contact = a.contact_number and main.kind = c.kind
      where a.team_id = c.team_id and a.address = c.contact and a.contact_number <> c.contact and main.state = 'out')`.execute(
    db,
  );
  return rows[0]?.contacts ?? 0;
}
