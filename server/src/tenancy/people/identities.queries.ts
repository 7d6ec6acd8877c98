import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

interface Identity {
  issuer: string;
  subject: string;
}

/** The person whom the provider named so before, if the person still has a membership. */
export async function selectIdentity(
  tx: Transaction,
  { issuer, subject }: Identity,
): Promise<{ person_id: string; email: string } | undefined> {
  const { rows } = await sql<{ person_id: string; email: string }>`
    select person_id, p.email from person_identities join people p on p.id = person_id
    where issuer = ${issuer} and subject = ${subject}
      and exists (select from memberships m where m.person_id = p.id)`.execute(tx);
  return rows[0];
}

/** Notes that a member of the staff was removed. Call it before the deletion. */
export async function saveFormerStaff(tx: Transaction, userId: string): Promise<void> {
  await sql`
    insert into former_staff (email, issuer, subject)
    select lower(u.email), i.issuer, i.subject
    from users u left join memberships m on m.user_id = u.id left join person_identities i using (person_id)
    where u.id = ${userId}`.execute(tx);
}

/** An owner wants somebody with the address on the staff again. */
export async function forgetFormerStaff(tx: Transaction, email: string): Promise<void> {
  await sql`delete from former_staff where email = lower(${email})`.execute(tx);
}

export async function wasOnStaff(
  tx: Transaction,
  email: string,
  { issuer, subject }: Identity,
): Promise<boolean> {
  const { rows } = await sql`
    select from former_staff
    where email = ${email} or (issuer = ${issuer} and subject = ${subject}) limit 1`.execute(tx);
  return rows.length > 0;
}

export async function saveIdentity(
  tx: Transaction,
  { issuer, subject }: Identity,
  personId: string,
): Promise<void> {
  await sql`
    insert into person_identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${personId})
    on conflict (issuer, subject) do update set person_id = excluded.person_id`.execute(tx);
}
